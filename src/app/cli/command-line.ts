/** Parses the command line, calls the verb, and converts its outcome into text or one JSON value, and an exit code. */

import { inspect } from 'node:util';
import { Command, CommanderError, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings';
import manifest from '../../../package.json' with { type: 'json' };
import { fromRfc3339, type Instant } from '../../domain/values.ts';
import { takePrivateEnvironment } from '../../host/private-environment.ts';
import { EXIT, refuse, usageError, type VerbIo } from './verb-io.ts';

type Exit = (code: number) => void;

/** Adds every verb to the program. */
export function addVerbs(program: Command, io: VerbIo, exit: Exit): void {
  addReadVerbs(program, io, exit);
  addLogbookVerbs(program, io, exit);
  addCheckpointVerbs(program, io, exit);
  addCheckVerbs(program, io, exit);
  addInitVerb(program, io, exit);
  addProgramVerbs(program, io, exit);
}

function addReadVerbs(program: Command, io: VerbIo, exit: Exit): void {
  program
    .command('read-comment')
    .description('which commands a comment on standard input runs, and why another slash word does not')
    .option('--other-bot </word>', 'a word of another bot; repeatable', collectOption, NONE)
    .action(async ({ otherBot }) => {
      const { readCommentVerb } = await import('./verbs/read-comment.ts');
      exit(await readCommentVerb(io, otherBot));
    });
  program
    .command('delta')
    .description('what changed between two versions of an experiment file: .py, .yaml, .yml, .toml, .json or .args')
    .argument('<BASE>')
    .argument('<HEAD>')
    .action(async (base, head) => exit(await (await import('./verbs/check-files.ts')).deltaVerb(io, base, head)));
  program
    .command('read-knobs')
    .description('the knobs of an experiment file, as /propose takes them')
    .argument('<FILE>')
    .action(async (file) => exit(await (await import('./verbs/check-files.ts')).readKnobsVerb(io, file)));
  program
    .command('classify')
    .description('why a job failed, by its log on standard input, and the first response')
    .option('--end-status <STATUS>', 'SUCCEEDED, FAILED or STOPPED: the end status that the engine reports')
    .action(async ({ endStatus }) => exit(await (await import('./verbs/classify.ts')).classifyVerb(io, endStatus)));
  program
    .command('fix')
    .description('a patch for the small error that failed a job, or why there is none')
    .requiredOption('--log <FILE>', "the job's log; - is standard input")
    .option('--tree <DIR>', 'the files that it ran', '.')
    .action(async (options) => exit(await (await import('./verbs/fix.ts')).fixVerb(io, options)));
  program
    .command('replay')
    .description('the alarms and actions of the watch for a recorded trace or a plain log')
    .argument('[TRACE]', 'a trace, see docs/traces.md')
    .option('--log <FILE>', 'a plain log, with or without times in its lines; - is standard input')
    .option('--start <TIME>', 'start of the job; default: the first line', parseInstantOption)
    .option('--until <TIME>', 'end of the observation; default: the last line', parseInstantOption)
    .option('--end-status <STATUS>', 'SUCCEEDED, FAILED, STOPPED or RUNNING: the status that the engine reports')
    .action(async (trace, options) => exit(await (await import('./verbs/replay.ts')).replayVerb(io, trace, options)));
}

function addCheckpointVerbs(program: Command, io: VerbIo, exit: Exit): void {
  program
    .command('checkpoints')
    .description('which checkpoints a store has, which one a run would resume from, and why')
    .argument('<ROOT>', 'gs://…, s3://… or an absolute folder', parseName)
    .option('--temporary <ROOT>', 'another root to search; repeatable', collectOption, NONE)
    .option('--exclude <PATH>', 'a path to skip, with all below it; repeatable', collectOption, NONE)
    .option('--max-step <N>', 'skips later steps', parseWholeNumber)
    .option('--step <N>', 'checks whether this step can be used', parseWholeNumber)
    .option('--run <RUN>', 'only checkpoints of this run that were not rejected')
    .option('--dir <DIR>', 'a folder with the logbook, or a checkout of its branch', '.')
    .action(async (root, { maxStep, step, run, ...options }) => {
      const { checkpointsVerb } = await import('./verbs/recorded-runs.ts');
      exit(await checkpointsVerb(io, root, { ...options, maxStep, step, run }));
    });
}

function addLogbookVerbs(program: Command, io: VerbIo, exit: Exit): void {
  program
    .command('manifest')
    .description('the manifest that was approved for a run, canonical, with its digest')
    .argument('<RUN>', '', parseName)
    .option('--dir <DIR>', 'a folder with the logbook, or a checkout of its branch', '.')
    .action(async (run, { dir }) => exit(await (await import('./verbs/recorded-runs.ts')).manifestVerb(io, run, dir)));
  program
    .command('history')
    .description('the last runs of a lane: changes, metrics, verdict, cost and cluster')
    .argument('[LANE]', 'default: all lanes')
    .option('--dir <DIR>', 'a folder with the logbook, or a checkout of its branch', '.')
    .action(async (lane, { dir }) =>
      exit(await (await import('./verbs/recorded-runs.ts')).historyVerb(io, lane ?? null, dir)),
    );
  const logbook = program.command('logbook').description('verify, show and repair: a copy of the record');
  logbook
    .command('verify')
    .description('checks a copy of the logbook offline')
    .argument('<PATH>', 'a file, the folder of a run, or a checkout of the branch', parseName)
    .option('--keys <CONFIG>', 'a config with the keys; default: the keys in the record')
    .option('--head <SEQ:HASH>', 'an entry that must be there, with at least 12 digits of its hash')
    .action(async (path, options) =>
      exit(await (await import('./verbs/logbook-verify.ts')).logbookVerifyVerb(io, path, options)),
    );
  logbook
    .command('show')
    .description('prints a run in plain text')
    .argument('<PATH>', 'a file, the folder of a run, or a checkout of the branch', parseName)
    .option('--keys <CONFIG>', 'a config with the keys; default: the keys in the record')
    .option('--head <SEQ:HASH>', 'an entry that must be there, with at least 12 digits of its hash')
    .action(async (path, options) =>
      exit(await (await import('./verbs/logbook-verify.ts')).logbookShowVerb(io, path, options)),
    );
  logbook
    .command('repair')
    .description('restores broken files of the record to their last good entries, and pushes the commit')
    .option('--repo <DIR>', 'a clone with a remote "origin"', '.')
    .option('--dry-run', 'prints the repair and pushes nothing', false)
    .action(async ({ repo, dryRun }) =>
      exit(await (await import('./verbs/logbook-repair.ts')).logbookRepairVerb(io, repo, dryRun)),
    );
}

function addCheckVerbs(program: Command, io: VerbIo, exit: Exit): void {
  program
    .command('check-pr')
    .description('every launch gate on a local branch, before anyone opens a pull request')
    .option('--base <REF>', 'base of the comparison; default: the target branch')
    .option('--head <REF>', 'the branch', 'HEAD')
    .option('--lane <NAME>', 'the lane, if the changed files do not show it')
    .option('--body <FILE>', 'the text of the pull request')
    .action(async (options) => exit(await (await import('./verbs/check-pr.ts')).checkPrVerb(io, options)));
  program
    .command('check-config')
    .description('whether a config is valid, with line and column of every problem')
    .argument('[FILE]', '', '.github/ferrybot.yml')
    .action(async (file) => exit(await (await import('./verbs/check-files.ts')).checkConfigVerb(io, file)));
  program
    .command('check-infra')
    .description('commands in cluster files that write below an unmounted bucket')
    .argument('[FILE...]', 'default: every YAML file of infra/')
    .option('--mount-point <PATH>', 'mount point of a bucket; repeatable', collectOption, NONE)
    .action(async (files, { mountPoint }) =>
      exit(await (await import('./verbs/check-files.ts')).checkInfraVerb(io, files, mountPoint)),
    );
  program
    .command('backtest')
    .description('past decisions that a changed config would change')
    .requiredOption('--config <FILE>', 'the changed config')
    .option('--logbook <DIR>', 'a copy of the record', '.')
    .action(async ({ config, logbook }) =>
      exit(await (await import('./verbs/recorded-runs.ts')).backtestVerb(io, config, logbook)),
    );
}

function addInitVerb(program: Command, io: VerbIo, exit: Exit): void {
  program
    .command('init')
    .description('sets up a lab: config, workflows and keys, then the settings of its repository')
    .option('--engine <NAME>', 'local, ray, slurm, iris or vast')
    .option('--cluster <SETTINGS>', 'settings of the cluster, "KEY=VALUE KEY=VALUE"')
    .option('--hours <N>', 'accelerator-hours of one run')
    .option('--experiment <FILE>', 'the file that a run may change')
    .option('--command <WORDS>', 'the command that trains')
    .option('--metric <RULE>', 'the metric that decides, "KEY lower|higher PERCENT"')
    .option('--secrets <NAMES>', 'secrets that a job needs, with blanks between them')
    .option('--one-person <yes|no>', 'whether the author of a change may approve it')
    .option('--name <NAME>', "who commits to the record; default: git's user.name")
    .option('--email <ADDRESS>', "default: git's user.email")
    .option('--pin <COMMIT>', 'the commit of the release; default: as the repository of ferrybot says')
    .option('--keys <DIR>', 'where private keys are until they are stored; default: ~/.config/ferrybot/OWNER-NAME')
    .option('--state-dir <DIR>', 'folder of job records on the runners of an engine local', '/var/lib/ferrybot')
    .option('--apply', 'also makes the settings of the repository, with GITHUB_TOKEN or the login of gh')
    .option('--app <URL>', 'also registers a GitHub App, for a server that GitHub reaches at URL')
    .option('--upgrade', 'also replaces workflows that differ from the release, after their diff')
    .option('--yes', 'accepts every change; with --json only this changes anything')
    .action(async (options) => exit(await (await import('./verbs/init.ts')).initVerb(io, options)));
}

function addProgramVerbs(program: Command, io: VerbIo, exit: Exit): void {
  program
    .command('doctor')
    .description(
      'checks the set-up of the repository: fine, missing, or not visible with the token in GITHUB_TOKEN, which reads Actions, Administration, Contents, Environments, Secrets and Variables',
    )
    .action(async () => exit(await (await import('./verbs/doctor.ts')).doctorVerb(io)));
  program
    .command('playground')
    .description('serves your checkout on a local GitHub with ferrybot installed')
    .usage('[--repo DIR] [--port N]')
    // These programs parse their own options, `--help` too.
    .helpOption(io.json ? '-h, --help' : false)
    .allowUnknownOption()
    .argument('[options...]')
    .action(async (options) => exit(await (await import('./verbs/playground.ts')).playgroundVerb(io, 'own', options)));
  program
    .command('demo')
    .description('plays an example lab on a local GitHub, as `npm start` does in a checkout')
    .usage('[--auto] [--lane hero|rental|adopted]')
    .helpOption(io.json ? '-h, --help' : false)
    .allowUnknownOption()
    .argument('[options...]')
    .action(async (options) => exit(await (await import('./verbs/playground.ts')).playgroundVerb(io, 'demo', options)));
  program
    .command('serve')
    .description('runs the GitHub App: webhooks and sweep (settings from the environment)')
    .action(async () => {
      // The server starts programs of the lab, which must not see its keys.
      const environment = takePrivateEnvironment();
      exit(await (await import('./verbs/serve.ts')).serveVerb({ ...io, environment }));
    });
}

const NONE: readonly string[] = [];

function collectOption(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function parseName(value: string): string {
  if (value === '') throw new InvalidArgumentError('It is empty.');
  return value;
}

function parseWholeNumber(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It takes a whole number.');
  return Number(value);
}

function parseInstantOption(value: string): Instant {
  const at = fromRfc3339(value);
  if (at === null) throw new InvalidArgumentError('It takes a time such as 2026-11-21T12:00:00Z.');
  return at;
}

const EXITS = 'Exit codes: 0 yes, 1 no (the JSON has the reason), 2 usage error.';

/** Runs the command line. Accepts `--json` at any position, so that usage errors are JSON, too. */
export async function runCommandLine(given: readonly string[], io: Omit<VerbIo, 'json'>): Promise<number> {
  const args = given.filter((arg) => arg !== '--json');
  const verbIo: VerbIo = { ...io, json: args.length < given.length };
  let code: number = EXIT.yes;
  const program = createProgram(verbIo, (exit) => {
    code = exit;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return exitCodeForError(error, verbIo);
    // A bug: print the whole error, and give scripts their JSON value.
    io.stderr.write(`${inspect(error)}\n`);
    const message = error instanceof Error ? error.message : String(error);
    return verbIo.json ? refuse(verbIo, { code: 'broken', message }) : EXIT.no;
  }
}

function createProgram(io: VerbIo, exit: (code: number) => void): CommandUnknownOpts {
  const program = new Command('ferrybot')
    .usage('<verb> [--json]; ferrybot <verb> --help')
    .helpOption('-h, --help', 'shows this help')
    .version(formatVersion(io), '-V, --version', 'the version of ferrybot')
    .exitOverride()
    .configureHelp(io.json ? { formatHelp: (asked) => `${JSON.stringify(helpAsJson(asked))}\n` } : {})
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      // The catch block writes the JSON value of a usage error.
      writeErr: (text) => (io.json ? undefined : io.stderr.write(text)),
      outputError: (text, write) =>
        write(`${text.replace(/^error: /, '')}Run \`ferrybot --help\` to list the verbs.\n`),
    });
  addVerbs(program, io, exit);
  if (!io.json) program.addHelpText('afterAll', `\n${EXITS}`);
  for (const verb of listVerbs(program)) {
    rejectRepeatedOptions(verb);
    verb.option('--json', 'one JSON value on standard output');
    const help = `Run \`ferrybot ${verbName(verb)} --help\` for the arguments.\n`;
    verb.configureOutput({ outputError: (text, write) => write(`${text.replace(/^error: /, '')}${help}`) });
  }
  return program;
}

function formatVersion({ json }: VerbIo): string {
  const { version } = manifest;
  return json ? JSON.stringify({ ok: true, error: null, version }) : version;
}

/** Rejects repeated options; commander would silently use the last value. */
function rejectRepeatedOptions(verb: CommandUnknownOpts): void {
  for (const option of verb.options.filter(({ defaultValue }) => !Array.isArray(defaultValue))) {
    let times = 0;
    verb.on(`option:${option.name()}`, () => {
      times += 1;
      if (times > 1) verb.error(`${verbName(verb)} takes ${option.long} once`);
    });
  }
}

function exitCodeForError(error: CommanderError, io: VerbIo): number {
  if (error.exitCode === 0) return EXIT.yes;
  if (!io.json) return EXIT.usedWrongly;
  const message = error.code === 'commander.help' ? 'no verb was given' : error.message;
  return usageError(io, message.replace(/^error: /, ''));
}

function helpAsJson(asked: CommandUnknownOpts): object {
  if (asked.commands.length > 0) return { ok: true, error: null, verbs: listVerbs(asked).map(verbName) };
  const [verb, usage] = [verbName(asked), asked.usage()];
  return { ok: true, error: null, verb, usage: `ferrybot ${verb} ${usage}`.trim(), summary: asked.description() };
}

function listVerbs(command: CommandUnknownOpts): CommandUnknownOpts[] {
  return command.commands.flatMap((one) => (one.commands.length === 0 ? [one] : listVerbs(one)));
}

/** The verb's name as typed, for example `logbook verify`. */
function verbName(verb: CommandUnknownOpts): string {
  const group = verb.parent;
  return group === null || group.parent === null ? verb.name() : `${verbName(group)} ${verb.name()}`;
}
