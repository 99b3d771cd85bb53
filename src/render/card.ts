/**
 * The status card: one comment per run, edited in place. A person who reads nothing else knows what happens, on what
 * evidence, and what is wanted from whom. The same record renders the same bytes.
 */

import { isIssueFirst } from '../domain/issue-first.ts';
import { isBeforeLaunch } from '../domain/launch/next-attempt.ts';
import { limits } from '../domain/limits.ts';
import { phaseOf } from '../domain/logbook/phase.ts';
import { rentalTerms } from '../domain/logbook/renting.ts';
import type { RunState } from '../domain/logbook/run-state.ts';
import { eventsPath, folderOf } from '../logbook/segments.ts';
import { cardContract, cardGates } from './card-gates.ts';
import { cardFix, cardManifest } from './card-manifest.ts';
import { lineagePart } from './checkpoints.ts';
import { comment } from './comment.ts';
import { diagnosisPart } from './failure-words.ts';
import { incidentTitle } from './incident-words.ts';
import type { RenderInput } from './input.ts';
import {
  besideText,
  commandText,
  compactLine,
  costLine,
  jobTable,
  trackerName,
  trackerUrl,
  witnessTable,
} from './job-table.ts';
import { checkpointChart, lossChart, paceChart } from './lane-history.ts';
import { continuesLine } from './propose-words.ts';
import { offerPart, rentalPart, rentedPart } from './rental-words.ts';
import { resultWords, stateLine, verdictTable } from './state-line.ts';
import { wantedLine } from './wanted.ts';
import { watchPart } from './watch-words.ts';
import { code, details, digestHex, fenced, link, paragraphs, table, text, utc } from './words.ts';

const SHOWN_INCIDENTS_MAX = 5;

export type CardInput = RenderInput & {
  /** What the check run says by now, remembered in the marker so that it is not read every time. */
  readonly check: string;
};

/** The card's source. Its marker carries the record's head, the phase, `check`, and what it shows. */
export function renderCard(input: CardInput): string {
  const { state } = input;
  const { symbol, title, evidence } = stateLine(state, input.config);
  const shown = state.gate === null ? {} : { manifest: state.gate.digest ?? 'none', body: state.gate.body };
  const fields = { head: headText(state, 12), phase: phaseOf(state), check: input.check, ...shown };
  return comment(
    { run: state.run, kind: 'card', key: 'card', fields },
    paragraphs(
      `**Wanted: ${wantedLine(input)}**`,
      `${symbol} **${title}.** ${evidence}`,
      rentedLine(state),
      verdictPart(input),
      watchPart(state),
      costLine(input),
      rentalPart(state),
      rentedPart(state, input.past),
      offerPart(state),
      state.end?.diagnosis === undefined ? null : diagnosisPart(state.end.diagnosis),
      ...(isBeforeLaunch(state)
        ? // rule HR-09
          [cardGates(input), cardContract(input), cardFix(state), cardManifest(input), jobPart(state)]
        : [jobPart(state), cardContract(input), cardManifest(input), cardGates(input)]),
      continuesLine(state),
      lineagePart(state),
      incidentsPart(state),
      linksPart(state),
      recordPart(input),
    ),
  );
}

/** `seq:hash` of the newest event with so many hex digits of the hash: by it a record that was put back is noticed. */
export function headText({ head }: RunState, digits: number): string {
  return `${head.seq}:${head.hash.slice(0, digits)}`;
}

/** A machine that bills is babysat by many looks, and one line is what each of them comes to (policy VA-10). */
function rentedLine(state: RunState): string | null {
  return rentalTerms(state) === null || state.end !== null ? null : compactLine(state);
}

function verdictPart({ state, verdict }: RenderInput): string | null {
  if (state.end === null) return null;
  if (verdict === null) return 'Verdict: ❔ unknown, the earlier runs of the lane could not be read.';
  return paragraphs(`Verdict: ${resultWords(verdict.result)}.`, verdictTable(state, state.end, verdict));
}

function jobPart(state: RunState): string | null {
  const { submission } = state;
  if (submission === null) return null;
  const chart = lossChart(state.trace, preRegisteredLoss(state));
  const command = fenced(commandText(submission.command), limits.shownBlockCharsMax);
  return paragraphs(
    jobTable(state, submission),
    witnessTable(state),
    besideText(state),
    chart,
    ...courseCharts(state),
    evalsPart(state),
    details('Exact command (scrubbed)', command),
  );
}

/** A run of weeks is judged by these too: whether it slows down, and how much a crash would cost. */
function courseCharts({ contract, paces }: RunState): readonly (string | null)[] {
  return contract === null ? [] : [paceChart(paces), checkpointChart(paces)];
}

/** What the contract expects of the loss, where it is one that says so. */
function preRegisteredLoss({ contract }: RunState): number | null {
  const loss = contract?.['loss'];
  return loss === undefined || loss.source === 'unclear' ? null : Number(loss.value);
}

function evalsPart({ observation, end }: RunState): string | null {
  const evals = Object.entries(end?.metrics ?? observation?.evals ?? {});
  if (evals.length === 0) return null;
  return details(
    end === null ? 'Evals so far' : 'Final metrics',
    table(
      ['Metric', 'Value'],
      evals.map(([key, value]) => [code(key), text(value)]),
    ),
  );
}

function incidentsPart({ incidents }: RunState): string | null {
  if (incidents.length === 0) return null;
  const newest = incidents.slice(-SHOWN_INCIDENTS_MAX).toReversed();
  const lines = newest.map((incident) => `- ${utc(incident.at)}: ${incidentTitle(incident)}`);
  const more = incidents.length - newest.length;
  return paragraphs(
    'Incidents, newest first:',
    [...lines, ...(more > 0 ? [`- ${more} earlier`] : [])].join('\n'),
  );
}

function linksPart(state: RunState): string {
  const { proposal, seal, closed } = state;
  const closure = seal?.closurePull ?? closed?.closurePull ?? null;
  const tracker = trackerUrl(state);
  return [
    `Run ${code(state.run)}`,
    `issue #${proposal.issue}`,
    isIssueFirst(proposal) ? `branch ${code(proposal.headBranch)}` : `pull request #${proposal.pull}`,
    ...(seal === null ? [] : [`tag ${code(seal.tag)}`]),
    ...(closure === null ? [] : [`closure #${closure}`]),
    ...(tracker === null ? [] : [link(trackerName(tracker), tracker, limits.shownTextCharsMax)]),
  ].join(' · ');
}

function recordPart({ state, config }: RenderInput): string {
  const digest = state.gate?.digest ?? null;
  const manifest =
    digest === null ? '' : ` An approval binds to manifest \`${digestHex(digest)}\`, not to this comment.`;
  return details(
    'How this can be checked',
    `This card is a copy; the record is ${code(eventsPath(folderOf(state.run, state.proposedAt)))} on the branch ${code(config.logbookBranch)}. ` +
      `Its newest event is ${code(headText(state, 64))}: \`ferrybot logbook verify\` checks a copy offline, and a record that is shorter was put back.${manifest}`,
  );
}
