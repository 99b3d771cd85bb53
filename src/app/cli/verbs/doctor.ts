/** `ferrybot doctor`: reports what is set up in a lab's repository, what is missing, and what this token cannot see. */

import { brandAs, isInstant } from '../../../domain/values.ts';
import type { GitHubClient } from '../../../github/call.ts';
import { readFileText, readRepository } from '../../../github/settings.ts';
import { readSigningKeys } from '../../compose-lab.ts';
import { CONFIG_PATH, readLabConfig } from '../../config-source.ts';
import { runDoctorChecks } from '../doctor/checks.ts';
import { type DoctorContext, readFacts } from '../doctor/facts.ts';
import type { Finding, Verdict } from '../doctor/verdict.ts';
import { connectRepository } from '../repository-client.ts';
import { EXIT, reply, usageError, type VerbIo } from '../verb-io.ts';

/** Exit 0 if all findings are ok or warnings; an unknown counts as not ok. */
export async function doctorVerb(io: VerbIo): Promise<number> {
  const connected = await connectRepository(io, 'doctor');
  if (!connected.ok) return usageError(io, connected.error);
  const client = connected.value;
  const findings = await examineLab(client, {
    cwd: io.cwd,
    signingKeys: readSigningKeys(io.environment),
    now: brandAs(Date.now(), isInstant),
    serverUrl: io.environment['FERRYBOT_SERVER_URL'],
  });
  const ok = findings.every(({ state }) => state === 'ok' || state === 'warning');
  reply(
    io,
    { ok, repository: `${client.owner}/${client.repo}`, findings },
    `${findings.map(formatFinding).join('\n')}\n`,
  );
  return ok ? EXIT.yes : EXIT.no;
}

function formatFinding({ check, state, found, remedy }: Finding): string {
  const line = `${state.padEnd(8)} ${check.padEnd(30)} ${found}`;
  return remedy === '' ? line : `${line}\n${' '.repeat(9)}${remedy}`;
}

/** One finding for each check, in order. Without a valid config, only the `config` finding. Changes nothing. */
export async function examineLab(client: GitHubClient, here: DoctorContext): Promise<readonly Finding[]> {
  const repository = await readRepository(client);
  if (repository.kind === 'unknown')
    return configOnlyReport({ state: 'unknown', found: repository.why }, 'Check the name and the token.');
  const text = await readFileText(client, CONFIG_PATH, repository.value.default_branch);
  if (text.kind === 'unknown') return configOnlyReport({ state: 'unknown', found: text.why }, PUT_A_CONFIG);
  const reading = readLabConfig(text.value);
  if (reading.kind !== 'valid') {
    const [first] = reading.problems;
    const found = `line ${first?.line ?? 1}: ${first?.message ?? 'not valid'}`;
    return configOnlyReport({ state: 'missing', found }, PUT_A_CONFIG);
  }
  const { config } = reading;
  return runDoctorChecks(await readFacts(client, repository.value, { config, configText: text.value }, here));
}

function configOnlyReport(verdict: Verdict, todo: string): readonly Finding[] {
  return [{ check: 'config', ...verdict, remedy: todo }];
}

const PUT_A_CONFIG = `Put a valid ${CONFIG_PATH} on the default branch; \`ferrybot check-config\` reports its problems.`;
