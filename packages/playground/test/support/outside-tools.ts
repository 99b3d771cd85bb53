/** Third-party programs installed by `npm run setup:tools`, and suites that need one of them. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(`../../../../.tools/${path}`, import.meta.url));

export const TOOLS = {
  act: at('bin/act'),
  actionlint: at('bin/actionlint'),
  'fake-gcs-server': at('bin/fake-gcs-server'),
  mlflow: at('mlflow/bin/mlflow'),
  versitygw: at('bin/versitygw'),
  zizmor: at('py/bin/zizmor'),
  vastai: at('vast/bin/vastai'),
};

/** Skips the suite when the program is missing, and prints the reason at the end; in CI that fails the run. */
export function describeWith(tool: keyof typeof TOOLS, name: string, suite: () => void): void {
  const skipReason = `there is no ${tool} below .tools: npm run setup:tools makes it`;
  describe.skipIf(!existsSync(TOOLS[tool]))(name, { meta: { skipReason } }, suite);
}
