/**
 * The status card: one comment per run, edited in place, with the state, its evidence, and the next action. The same record
 * renders the same bytes.
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
import { stateText, verdictPart } from './state-line.ts';
import { wantedLine } from './wanted.ts';
import { watchPart } from './watch-words.ts';
import { code, details, digestHex, fenced, link, nonEmpty, paragraphs, table, text, utc } from './words.ts';

const SHOWN_INCIDENTS_MAX = 5;

export type CardInput = RenderInput & {
  /** The current text of the check run, kept in the marker so that it is not read every time. */
  readonly check: string;
};

/** The card's source. Its marker carries the record's head, the phase, `check`, and what it shows. */
export function renderCard(input: CardInput): string {
  const { state } = input;
  const shown = state.gate === null ? {} : { manifest: state.gate.digest ?? 'none', body: state.gate.body };
  const fields = { head: headText(state, 12), phase: phaseOf(state), check: input.check, ...shown };
  return comment(
    { run: state.run, kind: 'card', key: 'card', fields },
    paragraphs(
      `**Wanted: ${wantedLine(input)}**`,
      stateText(state, input.config),
      rentalTerms(state) === null || state.end !== null ? null : compactLine(state),
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

/** `seq:hash` of the newest event with so many hex digits of the hash. It detects a record that was put back. */
export function headText({ head }: RunState, digits: number): string {
  return `${head.seq}:${head.hash.slice(0, digits)}`;
}

function jobPart(state: RunState): string | null {
  const { submission } = state;
  if (submission === null) return null;
  const { contract, paces } = state;
  const command = fenced(commandText(submission.command), limits.shownBlockCharsMax);
  return paragraphs(
    jobTable(state, submission),
    witnessTable(state),
    besideText(state),
    lossChart(state.trace, preRegisteredLoss(state)),
    // A run of weeks also shows whether it slows down, and how much a crash would cost.
    ...(contract === null ? [] : [paceChart(paces), checkpointChart(paces)]),
    evalsPart(state),
    details('Exact command (scrubbed)', command),
  );
}

/** The loss that the contract expects; null if it names none. */
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
    nonEmpty(...lines, more > 0 && `- ${more} earlier`).join('\n'),
  );
}

function linksPart(state: RunState): string {
  const { proposal, seal, closed } = state;
  const closure = seal?.closurePull ?? closed?.closurePull ?? null;
  const tracker = trackerUrl(state);
  return nonEmpty(
    `Run ${code(state.run)}`,
    `issue #${proposal.issue}`,
    isIssueFirst(proposal) ? `branch ${code(proposal.headBranch)}` : `pull request #${proposal.pull}`,
    seal !== null && `tag ${code(seal.tag)}`,
    closure !== null && `closure #${closure}`,
    tracker !== null && link(trackerName(tracker), tracker, limits.shownTextCharsMax),
  ).join(' · ');
}

function recordPart({ state, config }: RenderInput): string {
  const digest = state.gate?.digest ?? null;
  const manifest =
    digest === null ? '' : ` An approval binds to manifest \`${digestHex(digest)}\`, not to this comment.`;
  return details(
    'How to verify this card',
    `This card is a copy; the record is ${code(eventsPath(folderOf(state.run, state.proposedAt)))} on the branch ${code(config.logbookBranch)}. ` +
      `Its newest event is ${code(headText(state, 64))}: \`ferrybot logbook verify\` checks a copy offline; a shorter record was put back.${manifest}`,
  );
}
