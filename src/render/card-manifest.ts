/** The card's manifest: what an approval would approve, what it changes and what it would cost. */

import { quorumOf } from '../config/quorum.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import type { RentalTerms } from '../domain/launch/rental-terms.ts';
import { limits } from '../domain/limits.ts';
import { type RunState, standingApprovals } from '../domain/logbook/run-state.ts';
import { fenced } from './escape.ts';
import type { RenderInput } from './input.ts';
import { commandText } from './job-table.ts';
import { notTakenText } from './not-taken.ts';
import { placeWord } from './place-word.ts';
import { code, count, details, digestHex, paragraphs, person, points, table, text, utc } from './words.ts';

/** Null where there is no manifest yet. */
export function cardManifest({ state, config }: RenderInput): string | null {
  const manifest = state.gate?.manifest ?? null;
  const digest = state.gate?.digest ?? null;
  if (manifest === null || digest === null) return null;
  const line = `Manifest \`${digestHex(digest)}\` on cluster ${code(manifest.cluster)}: one launch costs about **${text(manifest.cost.acceleratorHours)} accelerator-hours** (${manifest.cost.source === 'contract' ? 'by its contract, which is more than the table in the config' : 'table in the config'}).`;
  return paragraphs(
    // Of a kind that changes no file nobody can say that nothing of it changes.
    config.kind.proposes?.change === undefined ? null : deltaTable(manifest),
    baseText(manifest),
    declaredLine(state),
    line,
    approvalsLine(state, quorumOf(config)),
    details('Everything that the manifest binds', manifestParts(manifest, digest, state)),
  );
}

/** The real change of the files against the target branch, before and after; of each knob, whether the last pass ran it so. */
export function deltaTable({ delta, base }: Pick<Manifest, 'delta' | 'base'>): string {
  if (delta.length === 0)
    return base === undefined
      ? 'No knob changes: the same configuration again.'
      : 'No knob changes on the target branch.';
  const plain = ['Knob', 'Before', 'After', 'Kind'];
  const cells = (change: Manifest['delta'][number]): readonly string[] => [
    code(change.path),
    sourceText(change.before),
    sourceText(change.after),
    change.bucket ?? 'not known',
  ];
  if (base === undefined) return table(plain, delta.map(cells));
  // What is new stands first: a long row of what ran before hides none of it.
  const freshOf = (path: string): Manifest['delta'][number] | undefined =>
    base.changes.find((one) => one.path === path);
  const isFresh = ({ path }: { readonly path: string }): boolean => freshOf(path) !== undefined;
  const rows = [...delta.filter(isFresh), ...delta.filter((change) => !isFresh(change))];
  return table(
    [...plain, 'In the last pass'],
    rows.map((change) => {
      const fresh = freshOf(change.path);
      return [...cells(change), fresh === undefined ? 'ran so' : `new, ran ${sourceText(fresh.before)}`];
    }),
  );
}

/** What it starts from, and what of the pass is not in the table: taken back, or overruled by the branch. */
function baseText({ delta, base, policy }: Manifest): string | null {
  if (base === undefined) return null;
  const kept = delta.filter(({ path }) => !base.changes.some((one) => one.path === path)).length;
  const back = base.changes.filter(({ path }) => !delta.some((one) => one.path === path));
  return paragraphs(
    `Against what ${code(base.run)} ran, the lane's last sealed pass, at ${base.commit}: ${count(base.changes.length, 'knob is', 'knobs are')} new, ${count(kept, 'change runs', 'changes run')} as it ran there.`,
    points([
      ...back.map(
        ({ path, before, after }) =>
          `${code(path)}: that ferry ran ${sourceText(before)}, and it is back at ${sourceText(after)} as on the target branch`,
      ),
      ...base.notTaken.map((one) => notTakenText(one, policy['lane.targetBranch'] ?? 'the target branch')),
    ]),
  );
}

function sourceText(source: string | null): string {
  return source === null ? 'absent' : code(source);
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

function envelopeText({
  restarts,
  restartAfter = [],
  fixes,
  reductions,
  repairs = [],
  rental,
}: Manifest['envelope']): string {
  const after = [...restartAfter.map(code), 'a bad node that was replaced'].join(', ');
  const most = `restarts: ${restarts}${restarts === 0 ? '' : `, after ${after}`}`;
  const smaller =
    reductions.length === 0
      ? []
      : [`when memory runs out, one after the other: ${reductions.map(code).join(', ')}`];
  const repaired =
    repairs.length === 0
      ? []
      : [`when the job dies of what it runs on, one after the other: ${repairs.map(code).join(', ')}`];
  const mended =
    fixes.length === 0
      ? []
      : [
          `once, a slip that ferrybot puts right by itself in ${fixes.map(code).join(', ')}, where the file speaks of neither model, optimizer nor data`,
        ];
  return [
    most,
    ...repaired,
    ...smaller,
    ...mended,
    ...(rental === undefined ? [] : [termsText(rental)]),
  ].join('; ');
}

function termsText(terms: RentalTerms): string {
  const { dollarsPerHourMax, dollarsMax, hoursMax, startMinutesMax, idleMinutesMax } = terms;
  return `a machine is rented for at most $${text(dollarsPerHourMax)} an hour and ${count(hoursMax, 'hour')}, all machines of the run together for at most $${text(dollarsMax)}; it is destroyed at one of these caps, when the job has ended, after ${count(startMinutesMax, 'minute')} without a first step, and after ${count(idleMinutesMax, 'minute')} without another one`;
}

function manifestParts(manifest: Manifest, digest: string, { gate }: RunState): string {
  const rows = [
    ['Digest', code(digest)],
    ['Read from commit', code(gate?.commit ?? '')],
    ['May happen without asking again', envelopeText(manifest.envelope)],
  ];
  return paragraphs(
    table(['Manifest', ''], rows),
    `Exact command (scrubbed):\n\n${fenced(commandText(manifest.command), limits.shownBlockCharsMax)}`,
    fenced(JSON.stringify(manifest, null, 2), limits.shownManifestCharsMax),
  );
}
