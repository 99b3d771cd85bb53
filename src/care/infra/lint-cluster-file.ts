/** The lint of one cluster file from its text: what its set-up commands do, and what of it nobody here can read. */

import { ok, type Result } from '../../domain/result.ts';
import { type InfraFinding, lintInfra } from './lint.ts';
import { setupEntries, type Unread } from './setup-entries.ts';

/** What stands for the mount point where a finding is about the file and not about one of them. */
const ANY_MOUNT_POINT = '(unknown)';

/** Findings in the order of the file; an error where it is no YAML. `known`: mount points that the config names. */
export function lintClusterFile(
  text: string,
  known: readonly string[],
): Result<readonly InfraFinding[], Unread> {
  const read = setupEntries(text);
  if (!read.ok) return read;
  const { entries, unread } = read.value;
  const findings = [...lintInfra(entries, known), ...unread.map(unreadFinding)];
  return ok(findings.toSorted((a, b) => a.line - b.line));
}

/** The finding for what could not be read. */
export function unreadFinding({ line, what }: Unread): InfraFinding {
  return { code: 'not-understood', mountPoint: ANY_MOUNT_POINT, line, what };
}
