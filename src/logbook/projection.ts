/** Renders events as the policy's Markdown logbook. */

import { type Contract, contractDri, contractValue } from '../domain/launch/contract.ts';
import {
  code,
  type EventOf,
  type EventText,
  type EventType,
  formatMinute,
  type LogbookEvent,
  prose,
} from '../domain/logbook/define.ts';
import { findDefinition } from '../domain/logbook/fold.ts';
import { formatDuration } from '../domain/values.ts';
import { JOURNAL } from './chain.ts';
import { markdownName } from './segments.ts';

export type DescribedEvent = {
  readonly event: LogbookEvent;
  readonly text: Required<EventText> & { readonly title: string };
};

/** Describes the entries from `from` on. Uses only earlier logins, so that the text of an old entry never changes. */
function describeEvents(events: readonly LogbookEvent[], from = 0): readonly DescribedEvent[] {
  const logins = new Map<number, string>();
  const all: DescribedEvent[] = [];
  for (const [index, event] of events.entries()) {
    if (event.actor !== undefined) logins.set(event.actor.id, event.actor.login);
    if (index < from) continue;
    const { title, describe } = findDefinition(event);
    all.push({ event, text: { title, evidence: '', decision: '', next: '', ...describe(event, logins) } });
  }
  return all;
}

export type ShownEvent = Pick<LogbookEvent, 'seq' | 'at' | 'type' | 'role'> &
  Required<EventText> & { readonly actor: string | null };

/** The data of `logbook show`: the projection's texts without markup. */
export function toShownEvents(events: readonly LogbookEvent[]): readonly ShownEvent[] {
  return describeEvents(events).map(({ event, text }) => ({
    seq: event.seq,
    at: event.at,
    type: event.type,
    role: event.role,
    actor: event.actor?.login ?? null,
    status: stripMarkdown(text.status),
    evidence: stripMarkdown(text.evidence),
    decision: stripMarkdown(text.decision),
    next: stripMarkdown(text.next),
  }));
}

/** One paragraph per event. */
export function formatEvents(run: string, events: readonly LogbookEvent[]): string {
  const entries = toShownEvents(events).map((event) => {
    const details = [event.evidence, event.decision].filter((text) => text !== '').map((text) => `    ${text}\n`);
    return `${formatMinute(event.at)}  ${event.type}: ${event.status}\n${details.join('')}`;
  });
  const last = events.at(-1);
  const head = last === undefined ? 'no events' : `${events.length} events, head ${last.seq}:${last.hash}`;
  return `${run}: ${head}\n\n${entries.join('')}`;
}

/** Removes the projection's escapes; control characters are already gone. */
function stripMarkdown(markdown: string): string {
  return markdown
    .replaceAll(/\\([\\`*_[\]~|#])/g, '$1')
    .replaceAll('`', '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** The entries in one Markdown file, and whether another file follows. */
export type MarkdownPart = {
  readonly part: number;
  /** First entry, and first entry of the next file. */
  readonly from: number;
  readonly to: number;
  readonly isLast: boolean;
};

/** Renders `logbook.md` (policy HR-25), a projection of `events.jsonl`. Later entries of a long run get separate files. */
export function projectLogbook(
  events: readonly LogbookEvent[],
  { part, from, to, isLast }: MarkdownPart = { part: 1, from: 0, to: events.length, isLast: true },
): string {
  const sections = [renderTitle(events, part)];
  const proposal = part === 1 ? findLastEvent(events, 'proposed') : undefined;
  if (proposal !== undefined)
    sections.push(renderContract(proposal, events), '## Launched Instances\n', ...renderInstances(events));
  sections.push('## Event Log\n');
  for (const { event, text } of describeEvents(events.slice(0, to), from))
    sections.push(
      bulletLines([
        `### ${formatMinute(event.at)} - ${text.title}`,
        '',
        `- Status: ${text.status}`,
        `- Evidence: ${text.evidence}`,
        `- Decision: ${text.decision}`,
        `- Next: ${text.next}`,
      ]),
    );
  if (!isLast) sections.push(`Later entries: ${partLink(part + 1)}\n`);
  return sections.join('\n');
}

function partLink(part: number): string {
  return `[${markdownName(part)}](${markdownName(part)})`;
}

/** Includes the capitalized kind if the run has a contract. */
function renderTitle(events: readonly LogbookEvent[], part: number): string {
  const run = events[0]?.run ?? '';
  const { kind = '' } = findLastEvent(events, 'proposed')?.data ?? {};
  const isNamed = kind !== '' && findLastEvent(events, 'contracted') !== undefined;
  const name = isNamed ? `${kind.charAt(0).toUpperCase()}${prose(kind.slice(1))} ` : '';
  const title = run === JOURNAL ? 'Repository Journal' : `${prose(run)}: ${name}Run Logbook`;
  return part === 1 ? `# ${title}\n` : `# ${title}, part ${part}\n\nBegins in ${partLink(1)}\n`;
}

function renderContract({ data }: EventOf<'proposed'>, events: readonly LogbookEvent[]): string {
  const manifest = findLastEvent(events, 'gated')?.data.manifest ?? null;
  const seen = findLastEvent(events, 'observed', ({ data: { trackers } }) => trackers.length > 0);
  const links = seen?.data.trackers.map((run) => code(run.url)).join(', ') ?? '';
  const newest = events.findLast((event) => event.type === 'observed' || event.type === 'ended');
  const contract = findContractBefore(events, events.length);
  const owner = findOwner(events, contract) ?? (data.requestedBy ?? data.author).login;
  const goal = contractValue(contract, 'goal');
  // rule VA-08
  const stop = contractValue(contract, contract?.['kill'] === undefined ? 'stop' : 'kill');
  return bulletLines([
    // rule HR-25
    '## Run Contract',
    '',
    `- DRI: @${prose(owner)}`,
    `- Goal: ${goal === null ? `${data.objective.kind}, ${prose(data.objective.text)}` : prose(goal)}`,
    `- Stop/escalation criteria: ${stop === null ? 'a person asks for a stop, or the watch sees a failure signature' : prose(stop)}`,
    // rule HR-20
    `- Issue: ${prose(data.repository)}#${data.issue}`,
    `- W&B: ${links}`,
    `- Output root: ${manifest === null ? '' : code(manifest.outputRoot)}`,
    `- Final step: ${newest?.data.totalSteps ?? contractValue(contract, 'finalStep') ?? ''}`,
  ]);
}

/** The newest event of a type that satisfies `is`, or undefined. */
function findLastEvent<Type extends EventType>(
  events: readonly LogbookEvent[],
  type: Type,
  is?: (event: EventOf<Type>) => boolean,
): EventOf<Type> | undefined {
  for (let at = events.length - 1; at >= 0; at -= 1) {
    const event = events[at];
    // The type was compared.
    if (event?.type === type && is?.(event as EventOf<Type>) !== false) return event as EventOf<Type>;
  }
  return undefined;
}

function findContractBefore(events: readonly LogbookEvent[], before: number): Contract | null {
  return findLastEvent(events, 'contracted', ({ seq }) => seq < before)?.data.contract ?? null;
}

/** Login of the person who took the watch, or of the contract's DRI; null if there is none. */
function findOwner(events: readonly LogbookEvent[], contract: Contract | null): string | null {
  const taken = findLastEvent(events, 'handoff', ({ data: { state } }) => state === 'accepted');
  return taken?.data.to.login ?? contractDri(contract);
}

function renderInstances(events: readonly LogbookEvent[]): readonly string[] {
  return events
    .filter((event) => event.type === 'submitted')
    .map((event) =>
      renderInstance(
        event,
        findLastEvent(events, 'gated', ({ seq }) => seq < event.seq),
        events,
      ),
    );
}

function renderInstance(
  { seq, at, data }: EventOf<'submitted'>,
  gate: EventOf<'gated'> | undefined,
  events: readonly LogbookEvent[],
): string {
  const manifest = gate?.data.manifest ?? null;
  const order =
    findLastEvent(events, 'ordered', (one) => one.data.orderDigest === data.orderDigest)?.data.order ?? null;
  const check = events.find((event) => event.type === 'observed' && event.data.attempt === data.attempt);
  const end = findLastEvent(events, 'ended', (one) => one.data.attempt === data.attempt);
  const finalStep = end?.data.totalSteps ?? null;
  const contract = findContractBefore(events, seq);
  const hardware = contractValue(contract, 'hardware');
  const cadence = check?.type === 'observed' ? `every ${formatDuration(check.data.cadenceMs)}` : '';
  const watched = contract === null ? cadence : describeWatch(data.attempt, cadence, contract, events);
  return bulletLines([
    `### ${formatMinute(at)} - ${code(data.jobId)}`,
    '',
    ...describeContract(contract, manifest),
    `- Command: ${code(data.command.join(' '))}`,
    `- Git SHA: ${code(data.commit)}`,
    `- Dirty tree: ${describeDirtyTree(contract, manifest, data.commit, listApprovers(order, events))}`,
    `- Source bundle/container: ${describeShipped(contract, manifest)}`,
    `- Hardware/topology: ${hardware === null ? '' : `${prose(hardware)}, `}${code(data.cluster)} through ${code(data.engine)}`,
    `- ${code('initialize_from')}: ${code(order?.checkpoint?.path ?? manifest?.resume.initializeFrom ?? '')}`,
    `- Final step: ${finalStep ?? contractValue(contract, 'finalStep') ?? ''}`,
    // rule HR-21
    `- Checkpoint policy: ${describeRetention(manifest)}`,
    `- Babysitter/check cadence: ${watched}`,
  ]);
}

/** Cadence and owner of an attempt's watch, and its end. */
function describeWatch(attempt: number, cadence: string, contract: Contract, events: readonly LogbookEvent[]): string {
  const owner = findOwner(events, contract);
  const said = events.findLast(
    (event) => (event.type === 'watch-ended' || event.type === 'watch-resumed') && event.data.attempt === attempt,
  );
  return [
    cadence === '' ? 'not looked at yet' : cadence,
    ...(owner === null ? [] : [`for @${prose(owner)}`]),
    ...(said?.type === 'watch-ended' ? [`ended at ${formatMinute(said.at)}, and the job went on`] : []),
  ].join(', ');
}

function describeContract(
  contract: Contract | null,
  manifest: EventOf<'gated'>['data']['manifest'],
): readonly string[] {
  if (contract === null || manifest === null) return [];
  const { runId } = manifest.tracker;
  const name = contractValue(contract, 'trackerName');
  return [
    `- DRI: @${prose(contractDri(contract) ?? '')}`,
    `- W&B run: ${code(runId)}${name === null || name === runId ? '' : `, shown as ${prose(name)}`}`,
    `- Output root: ${code(manifest.outputRoot)}`,
  ];
}

/** A job gets only the files of a pushed commit. A commit outside the target branch counts as an approved dirty tree (policy HR-07). */
function describeDirtyTree(
  contract: Contract | null,
  manifest: EventOf<'gated'>['data']['manifest'],
  commit: string,
  approvers: readonly string[],
): string {
  const branch = contractValue(contract, 'branch');
  // rule HR-07
  if (branch === null || branch === manifest?.policy['lane.targetBranch']) return 'no';
  const who = approvers.map((login) => `@${prose(login)}`).join(', ');
  return `yes, pushed to ${code(branch)}, approved by ${who}, patch identity ${code(commit)}`;
}

function listApprovers(
  order: EventOf<'ordered'>['data']['order'] | null,
  events: readonly LogbookEvent[],
): readonly string[] {
  const cited = order?.approvals.map(({ user }) => user) ?? [];
  const logins = events.flatMap(({ type, actor }) =>
    type === 'approved' && actor !== undefined && cited.includes(actor.id) ? [actor.login] : [],
  );
  return [...new Set(logins)];
}

function describeShipped(contract: Contract | null, manifest: EventOf<'gated'>['data']['manifest']): string {
  const bundle = contract?.['bundle'];
  return [
    ...Object.entries(manifest?.trees ?? {}).map(([path, id]) => `${code(path)} at ${code(id)}`),
    // rule HR-14
    ...(bundle?.source === 'given' ? [`in ${prose(bundle.value)}`] : []),
  ].join(', ');
}

function describeRetention(manifest: EventOf<'gated'>['data']['manifest']): string {
  if (manifest === null) return '';
  const { permanentEverySteps, temporaryEveryMinutes, keepTemporary } = manifest.retention;
  return [
    ...(permanentEverySteps === null ? [] : [`permanent every ${permanentEverySteps} steps`]),
    ...(temporaryEveryMinutes === null ? [] : [`temporary every ${temporaryEveryMinutes} min`]),
    ...(keepTemporary === null ? [] : [`the last ${keepTemporary} kept`]),
  ].join(', ');
}

/** An empty value keeps its label. */
function bulletLines(texts: readonly string[]): string {
  return texts.map((text) => `${text.trimEnd()}\n`).join('');
}

/** The monitoring policy's `monitoring_state.json`, for other tools; null before the first submission. */
export function projectMonitoringState(events: readonly LogbookEvent[]): string | null {
  const proposal = findLastEvent(events, 'proposed');
  const launch = findLastEvent(events, 'submitted');
  if (proposal === undefined || launch === undefined) return null;
  const state = {
    job_id: launch.data.jobId,
    cluster: launch.data.cluster,
    experiment: proposal.data.experiment,
    // rule ML-10
    restart_count: events.filter(({ type }) => type === 'submitted').length - 1,
  };
  return `${JSON.stringify(state, null, 2)}\n`;
}
