/** Renders one answer to all commands of a comment: for each, how ferrybot read it, what happened, and who may use it. */

import type { CommandDefinition } from '../commands/decision.ts';
import { COMMAND_DEFINITIONS, findCommand } from '../commands/registry.ts';
import type { LabConfig } from '../config/schema.ts';
import { limits } from '../domain/limits.ts';
import { rentalTerms } from '../domain/logbook/holdings.ts';
import { isOver, type RunState, type SeenCommand } from '../domain/logbook/run-state.ts';
import { groupAnswers, isQuietAnswer } from '../domain/marker.ts';
import type { PastRunsReader } from '../domain/past-runs.ts';
import { answerWords } from './answer-words.ts';
import type { RenderInput } from './input.ts';
import { renderCompactLine } from './job-table.ts';
import { renderHistoryTable, renderRentedTables } from './lane-history.ts';
import { renderNextStep, renderWatch } from './next-step.ts';
import { chooseStateLine } from './state-line.ts';
import { code, comment, folded, paragraphs, person, table, text } from './words.ts';

/** The answer with this key (`groupAnswers`) in the run's threads. Omits commands that were answered with only a reaction. */
export function renderAnswer(key: string, input: RenderInput): string {
  return renderAnswers(groupAnswers(input.state.commands.values()).get(key) ?? [], input, input.past);
}

/** `input` is null in threads without a run. */
export function renderAnswers(
  commands: readonly SeenCommand[],
  input: RenderInput | null,
  past: PastRunsReader,
): string {
  const loud = commands
    .filter((command) => command.answer !== null && !isQuietAnswer(command))
    .toSorted((a, b) => a.index - b.index);
  const first = loud[0];
  if (first === undefined) throw new Error('an answer without an answered command');
  if (loud.length === 1) return renderOneAnswer(first, input, past);
  return paragraphs(
    `Read ${loud.length} lines of ${person(first.actor)}'s comment:`,
    ...loud.map((command) => renderOneAnswer(command, input, past)),
  );
}

function renderOneAnswer(command: SeenCommand, input: RenderInput | null, past: PastRunsReader): string {
  const { answer, actor } = command;
  if (answer === null) throw new Error('an answer that was not given');
  const words = answerWords(answer, { input });
  const isLine = answer.code === 'not-understood' || answer.code === 'hint';
  const understood = isLine ? '' : `${code(commandSource(command))} by ${person(actor)}: `;
  return paragraphs(`${understood}${words}`, renderExtra(command, input, past));
}

/** Enough to tell digests apart. The whole one stands in the comment that is answered. */
const DIGEST_SHOWN = 12;
const POSITIONAL: readonly string[] = ['digest', 'command', 'who'];

/** The command as ferrybot read it, which can differ from the text in the comment. */
function commandSource({ name, args }: SeenCommand): string {
  const rest = Object.entries(args).map(([key, value]) =>
    key === 'digest' && value.length > DIGEST_SHOWN
      ? `${value.slice(0, DIGEST_SHOWN)}…`
      : POSITIONAL.includes(key)
        ? value
        : `${key}="${value}"`,
  );
  return [`/${name}`, ...rest].join(' ');
}

function renderExtra({ answer }: SeenCommand, input: RenderInput | null, past: PastRunsReader): string | null {
  if (answer?.code === 'help-shown') return renderHelp(String(answer.detail['command'] ?? ''), input);
  if (answer?.code === 'lane-past') return renderLanePast(String(answer.detail['lane'] ?? ''), past);
  if (answer?.code !== 'status-shown' || input === null) return null;
  const { state } = input;
  const { symbol, title, evidence } = chooseStateLine(state, input.config);
  return paragraphs(
    `${symbol} **${title}.** ${evidence}`,
    // rule VA-10
    state.observation === null ? null : renderCompactLine(state, state.observation),
    renderWatch(state),
    `**Wanted: ${renderNextStep(input)}**`,
  );
}

function renderLanePast(lane: string, past: PastRunsReader): string {
  const runs = past(lane);
  if (runs.kind === 'unknown') return `ferrybot cannot list them now: ${text(runs.why)}.`;
  const rented = runs.value.rented.filter((one) => one.lane === lane);
  return paragraphs(renderHistoryTable(runs.value.rows, limits.historyCharsMax), renderRentedTables(rented));
}

/** One command, or the commands for this moment of the run with all others folded. */
function renderHelp(name: string, input: RenderInput | null): string {
  const config = input?.config ?? null;
  const one = findCommand(name.replace(/^\//, ''));
  if (one !== null) return commandTable([one], config);
  const now = input === null ? COMMANDS_BY_MOMENT['no-run'] : listUsefulCommands(input.state);
  const grouped = Object.values(GROUPS).flat();
  const ofAll = COMMAND_DEFINITIONS.map((one) => one.name).filter((one) => !grouped.includes(one));
  const others = Object.entries({ 'Every run': ofAll, ...GROUPS }).map(
    ([title, names]) =>
      `**${title}**\n\n${commandTable(findCommands(names.filter((one) => !now.includes(one))), config)}`,
  );
  return paragraphs(
    commandTable(findCommands(now), config),
    folded('More commands', others.join('\n\n')),
    '`/help COMMAND` explains one command. Write a command at the start of its own line, outside quotes, lists and code.',
  );
}

function findCommands(names: readonly string[]): readonly CommandDefinition[] {
  return names.map((name) => {
    const definition = findCommand(name);
    if (definition === null) throw new Error(`/help lists ${name}, which is no command`);
    return definition;
  });
}

type HelpMoment = 'no-run' | 'before-launch' | 'running' | 'failed' | 'succeeded' | 'over';

/** At most eight each: a person reads them in a comment. */
const COMMANDS_BY_MOMENT: Readonly<Record<HelpMoment, readonly string[]>> = {
  'no-run': ['propose', 'rent', 'watch', 'hold', 'unhold', 'status'],
  'before-launch': ['approve-launch', 'why', 'status', 'hold', 'unhold', 'revoke', 'propose'],
  running: ['status', 'stop', 'hold', 'ack', 'handoff', 'until', 'keep', 'teardown'],
  failed: ['why', 'status', 'relaunch', 'rollback', 'ack', 'seal'],
  succeeded: ['status', 'seal', 'ack'],
  over: ['status', 'propose'],
};

const HERO = ['rollback', 'reject-checkpoint', 'cleanup-checkpoints', 'resume-as', 'seal-milestone'];
const RENTAL = ['rent', 'keep', 'teardown'];
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Hero runs': HERO,
  Rentals: RENTAL,
  'Watches and adopted jobs': ['watch', 'accept', 'handoff', 'until', 'stop-watching'],
};

function listUsefulCommands(state: RunState): readonly string[] {
  const isRental = rentalTerms(state) !== null;
  const isHero = state.contract !== null && !isRental;
  const others = [...(isHero ? [] : HERO), ...(isRental ? [] : RENTAL)];
  return COMMANDS_BY_MOMENT[helpMoment(state)].filter((name) => !others.includes(name));
}

function helpMoment(state: RunState): HelpMoment {
  if (isOver(state)) return 'over';
  if (state.end !== null) return state.end.status === 'SUCCEEDED' ? 'succeeded' : 'failed';
  return state.submission === null ? 'before-launch' : 'running';
}

/** Without a config (in a thread without a run), the column *Who may* is omitted. */
export function commandTable(commands: readonly CommandDefinition[], config: LabConfig | null): string {
  const rows = commands.map(({ example, summary, permission }) => {
    const least = config === null ? null : permission(config);
    const may = least === null ? 'everybody' : `${least} permission or more`;
    return [code(example), summary, ...(config === null ? [] : [may])];
  });
  return table(['Command', 'What it does', ...(config === null ? [] : ['Who may'])], rows);
}

/** `key` is `<surface>-<comment id>`, as in a run's own threads. */
export function renderJournalAnswer(key: string, commands: readonly SeenCommand[], past: PastRunsReader): string {
  return comment({ run: 'journal', kind: 'answer', key, fields: {} }, renderAnswers(commands, null, past));
}
