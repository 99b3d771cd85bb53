/** Renders events as the policy's Markdown logbook. */

import { type Contract, personInCharge, saidIn } from '../domain/launch/contract.ts';
import type { EventOf, EventType, LogbookEvent } from '../domain/logbook/event.ts';
import { code, minuteOf, prose } from '../domain/logbook/plain-text.ts';
import { JOURNAL } from './chain.ts';
import { markdownName } from './segments.ts';
import { type Told, tellAll } from './telling.ts';

// A Markdown file shared with people: ferrybot's blocks are marked, and all other bytes belong to people.

/** Id: lower-case letters, digits and dashes; the text ends with a newline. */
type Block = { readonly id: string; readonly text: string };

type Section = readonly Block[];

/**
 * Replaces existing blocks in place and adds new ones at the end of their section, after people's notes. Keeps everything else byte for
 * byte; an unpaired mark counts as people's text.
 */
export function weave(existing: string | null, sections: readonly Section[]): string {
  const pieces = existing === null ? [] : cut(existing);
  const wanted = new Map(sections.flat().map((block) => [block.id, block]));
  const present = new Set(pieces.flatMap((piece) => (piece.kind === 'block' ? [piece.id] : [])));
  const sectionOf = new Map(
    sections.flatMap((section, index) => section.map((block) => [block.id, index] as const)),
  );
  const out = createOutput();
  let done = 0;
  const finish = (until: number): void => {
    for (; done < until; done += 1) {
      for (const block of sections[done] ?? []) if (!present.has(block.id)) out.addApart(marked(block));
    }
  };
  for (const piece of pieces) {
    if (piece.kind === 'text') {
      out.add(piece.text);
      continue;
    }
    finish(sectionOf.get(piece.id) ?? done);
    const block = wanted.get(piece.id);
    out.add(block === undefined ? piece.text : marked(block));
  }
  finish(sections.length);
  return out.text();
}

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'block'; readonly id: string; readonly text: string };

const opening = (id: string): string => `<!-- logbook:${id} -->\n`;
const closing = (id: string): string => `<!-- /logbook:${id} -->\n`;
const OPENING = /<!-- logbook:([a-z0-9-]+) -->\n/g;

function marked(block: Block): string {
  return `${opening(block.id)}${block.text}${closing(block.id)}`;
}

type Output = {
  readonly add: (text: string) => void;
  /** Preceded by an empty line unless at the start. */
  readonly addApart: (text: string) => void;
  readonly text: () => string;
};

/** Tracks the end separately, because reading it from a concatenated string would copy it. */
function createOutput(): Output {
  const parts: string[] = [];
  let end = '';
  const add = (text: string): void => {
    parts.push(text);
    end = (end + text).slice(-2);
  };
  return {
    add,
    addApart: (text) => {
      if (end !== '' && end !== '\n\n') add(end.endsWith('\n') ? '\n' : '\n\n');
      add(text);
    },
    text: () => parts.join(''),
  };
}

/** Only the first block of an id is ferrybot's. */
function cut(existing: string): readonly Piece[] {
  const pieces: Piece[] = [];
  const seen = new Set<string>();
  let from = 0;
  for (const match of existing.matchAll(OPENING)) {
    const id = match[1];
    if (id === undefined || match.index < from || seen.has(id)) continue;
    const bodyAt = match.index + match[0].length;
    const closeAt = existing.indexOf(closing(id), bodyAt);
    // A nested opening means that the closing mark was deleted; leave the block unchanged.
    if (closeAt === -1 || existing.slice(bodyAt, closeAt).includes('<!-- logbook:')) continue;
    const end = closeAt + closing(id).length;
    if (match.index > from) pieces.push({ kind: 'text', text: existing.slice(from, match.index) });
    pieces.push({ kind: 'block', id, text: existing.slice(match.index, end) });
    seen.add(id);
    from = end;
  }
  if (from < existing.length) pieces.push({ kind: 'text', text: existing.slice(from) });
  return pieces;
}

/** The entries in one Markdown file, and whether another file follows. */
export type MarkdownPart = {
  readonly part: number;
  /** First entry, and first entry of the next file. */
  readonly from: number;
  readonly to: number;
  readonly isLast: boolean;
};

/**
 * Renders `logbook.md` and keeps people's text in `existing` (null: new file). Format: policy HR-25 (title, Run Contract, Launched
 * Instances, Event Log). It is a projection; only `events.jsonl` is authoritative. Later entries of a long run get separate files, so that
 * the first is not rewritten.
 */
export function projectLogbook(
  events: readonly LogbookEvent[],
  existing: string | null,
  { part, from, to, isLast }: MarkdownPart = { part: 1, from: 0, to: events.length, isLast: true },
): string {
  const further: Section = isLast ? [] : [{ id: 'further', text: `Later entries: ${linkTo(part + 1)}\n` }];
  const log: Section = [
    { id: 'events', text: '## Event Log\n' },
    ...tellAll(events.slice(0, to), from).map(entryBlock),
    ...further,
  ];
  const title = titleBlock(events, part);
  const proposal = part === 1 ? events.find((event) => event.type === 'proposed') : undefined;
  if (proposal === undefined) return weave(existing, [[title], log]);
  const instances: Section = [
    { id: 'instances', text: '## Launched Instances\n' },
    ...instanceBlocks(events),
  ];
  return weave(existing, [[title, contractBlock(proposal, events)], instances, log]);
}

function linkTo(part: number): string {
  return `[${markdownName(part)}](${markdownName(part)})`;
}

function titleBlock(events: readonly LogbookEvent[], part: number): Block {
  const run = events[0]?.run ?? '';
  const title = run === JOURNAL ? 'Repository Journal' : `${prose(run)}: ${kindOf(events)}Run Logbook`;
  const text = part === 1 ? `# ${title}\n` : `# ${title}, part ${part}\n\nBegins in ${linkTo(1)}\n`;
  return { id: 'title', text };
}

/** The capitalized kind of a run with a contract. */
function kindOf(events: readonly LogbookEvent[]): string {
  const { kind = '' } = events.find((event) => event.type === 'proposed')?.data ?? {};
  const isSaid = kind !== '' && events.some((event) => event.type === 'contracted');
  return isSaid ? `${kind.charAt(0).toUpperCase()}${prose(kind.slice(1))} ` : '';
}

function contractBlock(proposal: EventOf<'proposed'>, events: readonly LogbookEvent[]): Block {
  const { data } = proposal;
  const manifest = last(events, 'gated')?.data.manifest ?? null;
  const seen = last(events, 'observed', ({ data: { trackers } }) => trackers.length > 0);
  const links = seen?.data.trackers.map((run) => code(run.url)).join(', ') ?? '';
  const newest = events.findLast((event) => event.type === 'observed' || event.type === 'ended');
  const finalStep = newest?.data.totalSteps ?? null;
  const contract = contractBefore(events, events.length);
  const owner = ownerIn(events, contract) ?? (data.requestedBy ?? data.author).login;
  const goal = saidIn(contract, 'goal');
  // rule VA-08
  const stop = saidIn(contract, 'stop') ?? saidIn(contract, 'kill');
  return {
    id: 'contract',
    text: lines([
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
      `- Final step: ${finalStep ?? saidIn(contract, 'finalStep') ?? ''}`,
    ]),
  };
}

/** The newest event of a type that `is` so, or undefined. */
function last<Type extends EventType>(
  events: readonly LogbookEvent[],
  type: Type,
  is: (event: EventOf<Type>) => boolean = () => true,
): EventOf<Type> | undefined {
  return events.findLast(
    (event): event is EventOf<Type> => event.type === type && is(event as EventOf<Type>),
  );
}

/** The contract at that entry, or null. */
function contractBefore(events: readonly LogbookEvent[], before: number): Contract | null {
  return last(events, 'contracted', ({ seq }) => seq < before)?.data.contract ?? null;
}

/** Login of the person who took the watch, or of the contract's DRI; null if there is none. */
function ownerIn(events: readonly LogbookEvent[], contract: Contract | null): string | null {
  const taken = last(events, 'handoff', ({ data: { state } }) => state === 'accepted');
  return taken?.data.to.login ?? personInCharge(contract);
}

function instanceBlocks(events: readonly LogbookEvent[]): readonly Block[] {
  const gates = events.filter((event) => event.type === 'gated');
  return events
    .filter((event) => event.type === 'submitted')
    .map((event) => instanceBlock(event, gates.findLast((gate) => gate.seq < event.seq) ?? null, events));
}

function instanceBlock(
  { seq, at, data }: EventOf<'submitted'>,
  gate: EventOf<'gated'> | null,
  events: readonly LogbookEvent[],
): Block {
  const manifest = gate?.data.manifest ?? null;
  const order =
    last(events, 'ordered', (one) => one.data.orderDigest === data.orderDigest)?.data.order ?? null;
  const check = events.find((event) => event.type === 'observed' && event.data.attempt === data.attempt);
  const end = last(events, 'ended', (one) => one.data.attempt === data.attempt);
  const finalStep = end?.data.totalSteps ?? null;
  const contract = contractBefore(events, seq);
  const hardware = saidIn(contract, 'hardware');
  const cadence = check?.type === 'observed' ? `every ${Math.round(check.data.cadenceMs / 1000)} s` : '';
  const watched = contract === null ? cadence : watchedBy(data.attempt, cadence, contract, events);
  return {
    id: `instance-${seq}`,
    text: lines([
      `### ${minuteOf(at)} - ${code(data.jobId)}`,
      '',
      ...ownLines(contract, manifest),
      `- Command: ${code(data.command.join(' '))}`,
      `- Git SHA: ${code(data.commit)}`,
      `- Dirty tree: ${dirtyOf(contract, manifest, data.commit, approversOf(order, events))}`,
      `- Source bundle/container: ${shippedOf(contract, manifest)}`,
      `- Hardware/topology: ${hardware === null ? '' : `${prose(hardware)}, `}${code(data.cluster)} through ${code(data.engine)}`,
      `- ${code('initialize_from')}: ${code(order?.checkpoint?.path ?? manifest?.resume.initializeFrom ?? '')}`,
      `- Final step: ${finalStep ?? saidIn(contract, 'finalStep') ?? ''}`,
      // rule HR-21
      `- Checkpoint policy: ${retentionOf(manifest)}`,
      `- Babysitter/check cadence: ${watched}`,
    ]),
  };
}

/** Cadence and owner of an attempt's watch, and its end. */
function watchedBy(
  attempt: number,
  cadence: string,
  contract: Contract,
  events: readonly LogbookEvent[],
): string {
  const owner = ownerIn(events, contract);
  const said = events.findLast(
    (event) =>
      (event.type === 'watch-ended' || event.type === 'watch-resumed') && event.data.attempt === attempt,
  );
  return [
    cadence === '' ? 'not looked at yet' : cadence,
    ...(owner === null ? [] : [`for @${prose(owner)}`]),
    ...(said?.type === 'watch-ended' ? [`ended at ${minuteOf(said.at)}, and the job went on`] : []),
  ].join(', ');
}

/** Lines that only runs with a contract have. */
function ownLines(
  contract: Contract | null,
  manifest: EventOf<'gated'>['data']['manifest'],
): readonly string[] {
  if (contract === null || manifest === null) return [];
  const { runId } = manifest.tracker;
  const name = saidIn(contract, 'trackerName');
  return [
    `- DRI: @${prose(personInCharge(contract) ?? '')}`,
    `- W&B run: ${code(runId)}${name === null || name === runId ? '' : `, shown as ${prose(name)}`}`,
    `- Output root: ${code(manifest.outputRoot)}`,
  ];
}

/** A job gets only the files of a pushed commit. A commit outside the target branch counts as an approved dirty tree (policy HR-07). */
function dirtyOf(
  contract: Contract | null,
  manifest: EventOf<'gated'>['data']['manifest'],
  commit: string,
  approvers: readonly string[],
): string {
  const branch = saidIn(contract, 'branch');
  // rule HR-07
  if (branch === null || branch === manifest?.policy['lane.targetBranch']) return 'no';
  const who = approvers.map((login) => `@${prose(login)}`).join(', ');
  return `yes, pushed to ${code(branch)}, approved by ${who}, patch identity ${code(commit)}`;
}

function approversOf(
  order: EventOf<'ordered'>['data']['order'] | null,
  events: readonly LogbookEvent[],
): readonly string[] {
  const cited = order?.approvals.map(({ user }) => user) ?? [];
  const logins = events.flatMap(({ type, actor }) =>
    type === 'approved' && actor !== undefined && cited.includes(actor.id) ? [actor.login] : [],
  );
  return [...new Set(logins)];
}

/** The shipped trees, and the contract's container. */
function shippedOf(contract: Contract | null, manifest: EventOf<'gated'>['data']['manifest']): string {
  const bundle = contract?.['bundle'];
  return [
    ...Object.entries(manifest?.trees ?? {}).map(([path, id]) => `${code(path)} at ${code(id)}`),
    // rule HR-14
    ...(bundle?.source === 'given' ? [`in ${prose(bundle.value)}`] : []),
  ].join(', ');
}

function retentionOf(manifest: EventOf<'gated'>['data']['manifest']): string {
  if (manifest === null) return '';
  const { permanentEverySteps, temporaryEveryMinutes, keepTemporary } = manifest.retention;
  return [
    ...(permanentEverySteps === null ? [] : [`permanent every ${permanentEverySteps} steps`]),
    ...(temporaryEveryMinutes === null ? [] : [`temporary every ${temporaryEveryMinutes} min`]),
    ...(keepTemporary === null ? [] : [`the last ${keepTemporary} kept`]),
  ].join(', ');
}

function entryBlock({ event, told }: Told): Block {
  return {
    id: `event-${event.seq}`,
    text: lines([
      `### ${minuteOf(event.at)} - ${told.title}`,
      '',
      `- Status: ${told.status}`,
      `- Evidence: ${told.evidence}`,
      `- Decision: ${told.decision}`,
      `- Next: ${told.next}`,
    ]),
  };
}

/** An empty value keeps its label. */
function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text.trimEnd()}\n`).join('');
}

/** The monitoring policy's `monitoring_state.json`, for other tools; null before the first submission. */
export function projectMonitoringState(events: readonly LogbookEvent[]): string | null {
  const proposal = events.find((event) => event.type === 'proposed');
  const launches = events.filter((event) => event.type === 'submitted');
  const last = launches.at(-1);
  if (proposal === undefined || last === undefined) return null;
  const state = {
    job_id: last.data.jobId,
    cluster: last.data.cluster,
    experiment: proposal.data.experiment,
    // rule ML-10
    restart_count: launches.length - 1,
  };
  return `${JSON.stringify(state, null, 2)}\n`;
}
