/** The kind of diagram that Mermaid finds in a source; throws if it cannot parse it. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { z } from 'zod';

const PARSED = z.object({ diagramType: z.string() });

// Mermaid's smallest build is a classic script that defines a global.
runInThisContext(readFileSync(fileURLToPath(import.meta.resolve('@mermaid-js/tiny')), 'utf8'));

export async function parseChart(source: string): Promise<string> {
  return PARSED.parse(await runInThisContext('mermaid').parse(source)).diagramType;
}
