/** The card's manifest: what an approval would approve, what it changes and what it would cost. */

import { quorumOf } from '../config/quorum.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import { limits } from '../domain/limits.ts';
import { type RunState, standingApprovals } from '../domain/logbook/run-state.ts';
import { fenced } from './escape.ts';
import type { RenderInput } from './input.ts';
import { commandText } from './job-table.ts';
import { placeWord } from './place-word.ts';
import { code, details, digestHex, paragraphs, person, table, text, utc } from './words.ts';

/** Null where there is no manifest yet. */
export function cardManifest({ state, config }: RenderInput): string | null {
  const manifest = state.gate?.manifest ?? null;
  const digest = state.gate?.digest ?? null;
  if (manifest === null || digest === null) return null;
  const line = `Manifest \`${digestHex(digest)}\` on cluster ${code(manifest.cluster)}: one launch costs about **${text(manifest.cost.acceleratorHours)} accelerator-hours** (table in the config).`;
  return paragraphs(
    deltaTable(manifest.delta),
    declaredLine(state),
    line,
    approvalsLine(state, quorumOf(config)),
    details('Everything that the manifest binds', manifestParts(manifest, digest, state)),
  );
}

/** The real change of the files, before and after. */
export function deltaTable(delta: Manifest['delta']): string {
  if (delta.length === 0) return 'No knob changes: the same configuration again.';
  const value = (source: string | null): string => (source === null ? 'absent' : code(source));
  return table(
    ['Knob', 'Before', 'After', 'Kind'],
    delta.map((change) => [
      code(change.path),
      value(change.before),
      value(change.after),
      change.bucket ?? 'not known',
    ]),
  );
}

function declaredLine(state: RunState): string | null {
  const { gate } = state;
  const declared = gate?.verdicts.find((verdict) => verdict.gate === 'delta-declared');
  if (declared === undefined) return null;
  return declared.outcome === 'pass'
    ? `Read from the files; the table of the ${placeWord(state)} says the same.`
    : `Read from the files; the table of the ${placeWord(state)} does **not** say the same.`;
}

/** Who approved, and whether it counts: an approval of another manifest or text is told with its reason until it is dropped. */
function approvalsLine(state: RunState, needed: number): string {
  const standing = standingApprovals(state);
  const who = state.approvals.map((a) => {
    const said = `${person(a.actor)} (${utc(a.at)})`;
    if (standing.includes(a)) return `${said}, counts`;
    const other = a.digest === state.gate?.digest ? 'another text' : `manifest \`${digestHex(a.digest)}\``;
    return `${said}, does not count: it was given to ${other}`;
  });
  const count = new Set(standing.map((a) => a.actor.id)).size;
  const people = needed === 1 ? '' : ' people, by what the run costs';
  return `Approvals: ${count} of ${needed}${people}${who.length === 0 ? '' : `: ${who.join('; ')}`}.`;
}

function manifestParts(manifest: Manifest, digest: string, { gate }: RunState): string {
  const rows = [
    ['Digest', code(digest)],
    ['Read from commit', code(gate?.commit ?? '')],
    ['May happen without asking again', `restarts: ${manifest.envelope.restarts}`],
  ];
  return paragraphs(
    table(['Manifest', ''], rows),
    fenced(commandText(manifest.command), limits.shownBlockCharsMax),
    fenced(JSON.stringify(manifest, null, 2), limits.shownManifestCharsMax),
  );
}
