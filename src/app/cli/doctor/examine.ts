/** Examines a lab's setup as far as the token may see it. */

import type { GitHubClient } from '../../../github/call.ts';
import { readFileText } from '../../../github/repository-files.ts';
import { readRepository } from '../../../github/settings.ts';
import { CONFIG_PATH, readLabConfig } from '../../config-source.ts';
import { judgeAll } from './checks.ts';
import { type Here, readFacts } from './facts.ts';
import type { Finding, Verdict } from './finding.ts';

/** One finding for each check, in order; without a valid config only that of `config`. Changes nothing. */
export async function examine(client: GitHubClient, here: Here): Promise<readonly Finding[]> {
  const repository = await readRepository(client);
  if (repository.kind === 'unknown')
    return onlyConfig({ state: 'unknown', found: repository.why }, 'Check the name and the token.');
  const text = await readFileText(client, CONFIG_PATH, repository.value.default_branch);
  if (text.kind === 'unknown') return onlyConfig({ state: 'unknown', found: text.why }, PUT_A_CONFIG);
  const reading = readLabConfig(text.value);
  if (reading.kind !== 'valid') {
    const [first] = reading.problems;
    const found = `line ${first?.line ?? 1}: ${first?.message ?? 'not valid'}`;
    return onlyConfig({ state: 'missing', found }, PUT_A_CONFIG);
  }
  const { config } = reading;
  return judgeAll(await readFacts(client, repository.value, { config, configText: text.value }, here));
}

function onlyConfig(verdict: Verdict, todo: string): readonly Finding[] {
  return [{ check: 'config', ...verdict, todo }];
}

const PUT_A_CONFIG = `Put a valid ${CONFIG_PATH} on the default branch; \`ferrybot check-config\` says what is wrong with one.`;
