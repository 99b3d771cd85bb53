/** A pre-approved repair of the environment: one pinned package, or one runtime variable. */

import type { Started } from './reduction.ts';

export type Repair =
  | { readonly kind: 'package'; readonly requirement: string }
  | { readonly kind: 'variable'; readonly name: string; readonly value: string };

/** Parses `numpy==1.26.4` or `NCCL_P2P_DISABLE=1`; null otherwise. An unpinned package would change over time. */
export function readRepair(text: string): Repair | null {
  const said = text.trim();
  if (/^[A-Za-z0-9][\w.-]{0,80}(?:\[[a-z0-9,-]{1,80}\])?==[A-Za-z0-9][\w.+!]{0,40}$/.test(said))
    return { kind: 'package', requirement: said };
  const [, name, value] = /^([A-Z][A-Z0-9_]{0,60})=([\w.:,/-]{1,60})$/.exec(said) ?? [];
  return name === undefined || value === undefined ? null : { kind: 'variable', name, value };
}

/** Applies all repairs. The interpreter's pip installs packages, then the original command replaces the shell. */
export function repairedBy<Given extends Started>(started: Given, repairs: readonly string[]): Given {
  const read = repairs.flatMap((text) => readRepair(text) ?? []);
  const variables = read.flatMap((one) => (one.kind === 'variable' ? [[one.name, one.value] as const] : []));
  const packages = read.flatMap((one) => (one.kind === 'package' ? [`'${one.requirement}'`] : []));
  const environment = { ...started.environment, ...Object.fromEntries(variables) };
  if (packages.length === 0) return { ...started, environment };
  const install = `python3 -m pip install --quiet ${packages.join(' ')} && exec "$@"`;
  return { ...started, environment, command: ['sh', '-c', install, 'sh', ...started.command] };
}
