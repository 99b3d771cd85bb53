/** The header of a step's log: its script or inputs, its shell, and the environment from the workflow. */

import type { StepWork } from './runner-types.ts';
import { shellCommand } from './shells.ts';

/** A script, or an action with its inputs. */
type HeaderSource =
  | Pick<Extract<StepWork, { kind: 'run' }>, 'kind' | 'script' | 'shell'>
  | { readonly kind: 'action' | 'checkout'; readonly inputs: Readonly<Record<string, string>> };

/**
 * The folded group that the runner prints first (actions/runner, ScriptHandler and ActionRunner: action details). Only
 * masked values are hidden: if a step puts a secret into GITHUB_ENV without a mask, the log of every later step shows
 * it.
 */
export function stepHeader(
  title: string,
  work: HeaderSource,
  env: Readonly<Record<string, string>>,
): readonly string[] {
  return [`##[group]${title}`, ...headerDetails(work), ...listValues('env', env), '##[endgroup]'];
}

function headerDetails(work: HeaderSource): readonly string[] {
  if (work.kind !== 'run') {
    const given = Object.entries(work.inputs).filter(([, value]) => value !== '');
    return listValues('with', Object.fromEntries(given));
  }
  const { file, args } = shellCommand(work.shell, '{0}');
  return [...work.script.trimEnd().split('\n'), `shell: ${[file, ...args].join(' ')}`];
}

function listValues(name: string, values: Readonly<Record<string, string>>): readonly string[] {
  const lines = Object.entries(values).flatMap(([key, value]) => `  ${key}: ${value}`.split('\n'));
  return lines.length === 0 ? [] : [`${name}:`, ...lines];
}
