/** What is wanted from whom, in one line: the first thing that a person reads on the card. */

import { quorumOf } from '../config/approvers.ts';
import { missingCluster } from '../config/engine-traits.ts';
import { bindingHex } from '../domain/approval-binding.ts';
import { assertNever } from '../domain/assert.ts';
import { mayBeTriedByHand } from '../domain/failure-class.ts';
import { CHECKPOINT } from '../domain/launch/contract.ts';
import { failureOf } from '../domain/launch/fingerprint.ts';
import { launchTrouble, whyNotLaunched } from '../domain/launch/launch-trouble.ts';
import type { Manifest } from '../domain/launch/manifest.ts';
import { isFixGated, mayBeFixed, pastAttempt, repeatedFailure } from '../domain/launch/next-attempt.ts';
import { preApproval } from '../domain/launch/pre-approval.ts';
import { replacementFor, restartsLeft } from '../domain/launch/relaunch.ts';
import { approvalsHad, mayBeRelaunched, wantsRelaunch } from '../domain/launch/response.ts';
import { spoiltBy } from '../domain/launch/spoilt.ts';
import { limits } from '../domain/limits.ts';
import { awaitsAdoption, isAdopted } from '../domain/logbook/adoption.ts';
import { phaseOf } from '../domain/logbook/phase.ts';
import type { PastAttempt, RunState } from '../domain/logbook/run-state.ts';
import { wantedForAdoption } from './adoption-words.ts';
import { whoCan } from './card-gates.ts';
import { gateWords } from './gate-words.ts';
import type { RenderInput } from './input.ts';
import { wantedAfterWatch } from './watch-words.ts';
import { actionLine, approvalLine, code, count, link, listed, placeWord, text } from './words.ts';

/** One sentence of Markdown that begins with what is wanted; never empty. */
export function wantedLine(input: RenderInput): string {
  const { state } = input;
  const phase = phaseOf(state);
  const missing = missingCluster(state, input.config);
  if (missing !== null) return wantedCluster(missing);
  const unwatched = wantedAfterWatch(input);
  if (unwatched !== null) return unwatched;
  switch (phase) {
    case 'proposed':
      return awaitsAdoption(state) ? wantedForAdoption(input) : wantedForGates(state);
    case 'gated':
    case 'approved':
      return state.stop === null
        ? wantedApproval(input)
        : `nothing; close this ${placeWord(state)}, and the next ferry can be proposed.`;
    case 'ordered':
      return wantedForLaunch(state);
    case 'submitted':
    case 'stepping':
      return 'nothing; ferrybot is watching. `/stop` ends the job.';
    case 'degraded':
      return 'somebody to look at the job. ferrybot keeps watching; `/stop` ends it.';
    case 'ended':
      return wantedAtEnd(input);
    case 'sealed':
      return wantedMerge(state.seal?.closurePull ?? null);
    case 'closed':
      return wantedMerge(state.closed?.closurePull ?? null);
    default:
      return assertNever(phase);
  }
}

function wantedForLaunch(state: RunState): string {
  const trouble = launchTrouble(state);
  if (trouble === null) return 'nothing; the launch is under way. `/stop` takes it back, or ends the job.';
  const run = link('workflow run', trouble.detail.url, limits.shownTextCharsMax);
  return trouble.code === 'launch-waiting'
    ? `a runner with the label \`ferrybot-launch\`: the ${run} waits for one. \`/stop\` takes the launch back.`
    : `somebody to clear why the launch failed: ${text(trouble.detail.why)} (${run}). ferrybot starts it again within minutes, at most ${count(trouble.detail.left, 'more time')}. \`/stop\` takes it back.`;
}

function wantedCluster(cluster: string): string {
  return `somebody to put the cluster ${code(cluster)} back into \`.github/ferrybot.yml\` on the default branch: the job runs there, and until then nothing can watch or stop it.`;
}

/** What a fix of a failed attempt may change, as the config says, in parentheses; empty where it says nothing. */
export function mayTouch({ config }: Pick<RenderInput, 'config'>): string {
  const paths = (config.kind.fixes?.(config.lane).fixable ?? []).map(code);
  return paths.length === 0 ? '' : ` (it may touch ${listed(paths)})`;
}

/** Who may approve, in words: the least permission and, unless one person is enough, that it is not one's own change. */
export function whoApproves({ config }: Pick<RenderInput, 'config'>): string {
  const { permission, users, onePersonIsEnough } = config.approvals;
  const listedToo = users.length > 0 ? ', or somebody on the list of approvers,' : '';
  const other = onePersonIsEnough ? '' : ' who is not an author of this change';
  return `a person with ${permission} permission${listedToo}${other}`;
}

function wantedForGates(state: RunState): string {
  const { gate } = state;
  const place = placeWord(state);
  const open = gate?.verdicts.filter((v) => v.outcome === 'fail' || v.outcome === 'unknown') ?? [];
  const first = open.find((v) => v.outcome === 'fail') ?? open[0];
  if (first === undefined) return 'nothing yet; ferrybot is looking at the launch gates.';
  const { found, remedy } = gateWords(first, place);
  const more = open.length > 1 ? ` (${open.length - 1} more below)` : '';
  const who = first.remedyBy === 'time' ? 'nothing but time' : `from ${whoCan(first.remedyBy, place)}`;
  return `${who}, for the gate \`${first.gate}\`: ${found}${remedy === null ? '' : `; ${remedy}`}.${more}`;
}

function wantedApproval({ state, config }: RenderInput): string {
  const digest = state.gate?.digest ?? null;
  if (digest === null) return 'nothing yet; there is no manifest to approve.';
  const missing = quorumOf(config) - approvalsHad(state);
  if (missing <= 0) return 'nothing; the launch is about to be ordered.';
  const failure = whyNotLaunched(state);
  const first = failure === null ? '' : `somebody to clear why nothing was launched: ${text(failure)}. Then `;
  const what = missing === 1 ? 'an approval by' : `${missing} approvals, each by`;
  return `${first}${what} ${whoApproves({ config })}: \`${approvalLine(digest)}\`.`;
}

function wantedAtEnd({ state, config, verdict }: RenderInput): string {
  const { end } = state;
  const { seal, ack } = config.permissions;
  if (end === null) throw new Error('an ended run without an end');
  if (isAdopted(state) && end.status !== 'FAILED')
    return `\`/ack\` by a person with ${ack} permission, who has taken note of the end; it closes the run.`;
  switch (end.status) {
    case 'FAILED':
      return wantedForNode(state, ack) ?? wantedAfterFailure({ state, config });
    case 'STOPPED':
      return (
        wantedForNode(state, ack) ?? `a decision by a person with ${seal} permission: ${countsOrNot(state)}.`
      );
    case 'SUCCEEDED':
      return verdict?.result === 'pass'
        ? `\`/seal\` by a person with ${seal} permission.`
        : `a look at the verdict, then a decision by a person with ${seal} permission: ${countsOrNot(state)}.`;
    default:
      return assertNever(end.status);
  }
}

function wantedAfterFailure({ state, config }: Pick<RenderInput, 'state' | 'config'>): string {
  const closes = `\`/ack\` by a person with ${config.permissions.ack} permission, which closes the run.`;
  const repeated = repeatedFailure(state);
  if (repeated !== null)
    return `somebody who finds the cause: attempt ${repeated.attempt} failed with ${code(repeated.signature)} as attempt ${repeated.earlier} did before the fix, so there is no further try; then ${closes}`;
  if (isAdopted(state)) return `a look at the failure; then ${closes}`;
  const again = againWords(state);
  if (!mayBeFixed(state)) return `a look at the failure, then ${again}${closes}`;
  return `a look at the failure, then ${again}a fix on ${code(state.proposal.headBranch)}${mayTouch({ config })}, which is shown here and approved anew; or ${closes}`;
}

function countsOrNot(state: RunState): string {
  const on = wayOn(state);
  const not = '`/ack reject="why it does not"`, which closes the run';
  return `\`/seal accept="why the result counts"\`, or ${not}${on === null ? '' : `; or ${on}`}`;
}

/** While the attempt may still be followed by another: a decision on its bad node, or nothing. */
function wantedForNode(state: RunState, ackPermission: string): string | null {
  if (!mayBeRelaunched(state)) return null;
  if (wantsRelaunch(state) && replacementFor(state) === null) return wantedBeforeRelaunch(state);
  if (preApproval(state) !== null)
    return 'nothing; a slip was put right in a file that the approved manifest names, and the next attempt follows without another approval once the launch gates pass. `/hold` keeps it back, `/stop` for good.';
  const open = state.actions.find(
    ({ approvals: consents, ended }) => ended === null && consents.length === 0,
  );
  return open === undefined
    ? 'nothing; the bad node is being replaced, and the job is started again if its approval allows that. `/stop` keeps it from that.'
    : `a decision on the bad node, in #${open.proposal.thread}: \`${actionLine(open.digest)}\`; or \`/ack\` by a person with ${ackPermission} permission, which closes the run.`;
}

/** How a person has the same started again; empty where nobody can. */
function againWords(state: RunState): string {
  const last = pastAttempt(state);
  if (last === null || state.stop !== null || isFixGated(state)) return '';
  if (!mayBeTriedByHand(failureOf(last)) || spoiltBy(state, last) !== null) {
    const back = wayBack(last);
    return back === null ? '' : `${back.said} (${back.comes}); or `;
  }
  if (restartsLeft(state) > 0) return '`/relaunch`, which starts the same again as it was approved; or ';
  return `\`/relaunch ${bindingHex(last.order.order.digest)}\` by who may approve, which starts the same once more; or `;
}

function wantedBeforeRelaunch(state: RunState): string {
  const left = restartsLeft(state);
  return `nothing; the same may pass when it is tried again, and the job is started again under the approval that it has (${count(left, 'restart')} left), unless a launch gate does not pass by now or the lane has failed so before. \`/stop\` keeps it from that.`;
}

function wantedMerge(pull: number | null): string {
  return pull === null ? 'nothing.' : `a merge of the log-only pull request #${pull}.`;
}

/** What a person says for it and what comes of it, each without a full stop; null where the job's command does not take the checkpoint that it is given. */
export function wayBack({ order: { manifest } }: Pick<PastAttempt, 'order'>): {
  readonly said: string;
  readonly comes: string;
} | null {
  if (manifest === null || !takesCheckpoint(manifest)) return null;
  return {
    said: '`/rollback step=… reason="…"` by who may approve',
    comes: 'the next attempt begins at an earlier checkpoint, by a manifest that is approved anew',
  };
}

/** The way on after an end that is no failure: another run, from what the last attempt left; null where its job takes no checkpoint. */
export function wayOn({ end, order, contract }: RunState): string | null {
  const manifest = order?.manifest ?? null;
  if (end === null || end.status === 'FAILED' || contract === null || manifest === null) return null;
  return takesCheckpoint(manifest)
    ? '`/resume-as id=… from=… reason="…"`, which has another run go on from one of its checkpoints'
    : null;
}

/** Whether a job is given the checkpoint to begin from, of those that can be listed. */
export function takesCheckpoint({ command, resume }: Manifest): boolean {
  return resume.roots !== undefined && command.some((part) => part.includes(CHECKPOINT));
}
