/** `ferrybot check-config [file]`: reports every problem of a config with line and column. */

import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type InfraFinding, lintClusterFile } from '../../../care/infra/lint.ts';
import { readYaml } from '../../../config/read-yaml.ts';
import { diffConfigs, readKnobs } from '../../../delta/config-delta.ts';
import type { Delta, FileReading } from '../../../domain/launch/change-facts.ts';
import { brandAs, isInstant } from '../../../domain/values.ts';
import { errorCode } from '../../../host/files.ts';
import { displayPath } from '../../../kinds/ferry/requested-change.ts';
import { ferryLane } from '../../../kinds/ferry/settings.ts';
import { INFRA_WORDS } from '../../../render/check.ts';
import { allLanes, type LabConfig } from '../../../run/lane.ts';
import { type ConfigProblem, findNearestName, joinPath, type KeyPath } from '../../../settings/problem.ts';
import { CONFIG_PATH, readLabConfig } from '../../config-source.ts';
import { createExperimentReader } from '../../control/change-facts.ts';
import { EXIT, readArgument, readArgumentBytes, reply, usageError, type VerbIo } from '../verb-io.ts';

/** Exit 0 if the config is valid, with or without warnings. */
export async function checkConfigVerb(io: VerbIo, file: string): Promise<number> {
  const text = await readArgument(io, file);
  if (!text.ok) return usageError(io, text.error);
  const reading = readLabConfig(text.value, brandAs(Date.now(), isInstant));
  const problems =
    reading.kind === 'valid'
      ? [...reading.warnings, ...(await listCheckoutProblems(io, file, text.value, reading.config))]
      : reading.problems;
  const lines = problems.map(
    (p) => `${file}:${p.line}:${p.column}: ${p.severity}: ${p.path === '' ? '' : `${p.path}: `}${p.message}\n`,
  );
  const isValid = problems.every(({ severity }) => severity === 'warning');
  reply(io, { ok: isValid, problems }, `${lines.join('')}${isValid ? `${file} is valid\n` : ''}`);
  return isValid ? EXIT.yes : EXIT.no;
}

/** Paths of the config that its checkout lacks: experiments, and knobs of candidates. Another file's checkout is unknown. */
async function listCheckoutProblems(
  io: VerbIo,
  file: string,
  text: string,
  config: LabConfig,
): Promise<readonly ConfigProblem[]> {
  const path = resolve(io.cwd, file);
  if (!path.endsWith(`/${CONFIG_PATH}`)) return [];
  const root = path.slice(0, -CONFIG_PATH.length);
  const yaml = readYaml(text);
  const problem = (at: KeyPath, message: string): ConfigProblem => ({
    ...{ severity: 'error', code: 'not-in-checkout', path: joinPath(at), message },
    ...(yaml.kind === 'read' ? yaml.positionOf(at) : { line: 1, column: 1 }),
  });
  const found: ConfigProblem[] = [];
  for (const { laneName, lane } of allLanes(config).filter(({ kind }) => kind.proposals?.change !== undefined)) {
    const { experiment, python, candidates } = ferryLane(lane);
    const bytes = await readArgumentBytes({ ...io, cwd: root }, experiment);
    if (!bytes.ok) {
      found.push(problem(['lanes', laneName, 'experiment'], `there is no ${experiment} in ${root}`));
      continue;
    }
    const reading = await createExperimentReader(io.environment['PATH'] ?? '')(bytes.value, {
      path: experiment,
      python,
    });
    if (reading.kind === 'unparsable') continue;
    const knobs = readKnobs(reading).map((knob) => knob.path);
    for (const [index, candidate] of candidates.entries()) {
      if (knobs.includes(candidate.path)) continue;
      const near = findNearestName(candidate.path, knobs);
      const hint = near === null ? `\`ferrybot read-knobs ${experiment}\` lists its knobs` : `did you mean ${near}?`;
      found.push(
        problem(
          ['lanes', laneName, 'candidates', index, 'path'],
          `${candidate.path} is no knob of ${experiment}: ${hint}`,
        ),
      );
    }
  }
  return found;
}

type FileFinding = InfraFinding & { readonly file: string };

/** Exit 0 without findings. Without a file, reads every YAML file of `infra/`. */
export async function checkInfraVerb(
  io: VerbIo,
  named: readonly string[],
  mountPoints: readonly string[],
): Promise<number> {
  const files = named.length > 0 ? named : await listInfraFiles(io.cwd);
  if (files.length === 0) return usageError(io, 'there is no infra/*.yaml here: name the files');
  const findings: FileFinding[] = [];
  for (const file of files) {
    const text = await readArgument(io, file);
    if (!text.ok) return usageError(io, text.error);
    findings.push(...lintClusterFile(text.value, mountPoints).map((one) => ({ file, ...one })));
  }
  const isFine = findings.length === 0;
  const lines = findings.map(
    ({ file, line, code, mountPoint, what }) =>
      `${file}:${line}: ${code}: ${mountPoint}: ${INFRA_WORDS[code]}: ${what.split('\n')[0] ?? ''}\n`,
  );
  const fine = `nothing writes where a bucket may not be mounted (${files.join(', ')})\n`;
  reply(io, { ok: isFine, files, findings }, isFine ? fine : lines.join(''));
  return isFine ? EXIT.yes : EXIT.no;
}

async function listInfraFiles(cwd: string): Promise<readonly string[]> {
  try {
    const names = await readdir(join(cwd, 'infra'));
    return names
      .filter((name) => /\.ya?ml$/.test(name))
      .toSorted()
      .map((name) => `infra/${name}`);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Exit 0 for `none` and `knobs`, 1 for `structural` and `unparsable`. */
export async function deltaVerb(io: VerbIo, base: string, head: string): Promise<number> {
  const read = createExperimentReader(io.environment['PATH'] ?? '');
  const readings: FileReading[] = [];
  for (const file of [base, head]) {
    const bytes = await readArgumentBytes(io, file);
    if (!bytes.ok) return usageError(io, bytes.error);
    readings.push(await read(bytes.value, { path: file, python: 'python3' }));
  }
  const [left = NOTHING, right = NOTHING] = readings;
  const delta = diffConfigs(left, right);
  reply(io, delta, describeDelta(delta));
  return delta.kind === 'none' || delta.kind === 'knobs' ? EXIT.yes : EXIT.no;
}

const NOTHING: FileReading = { kind: 'unparsable', line: 1, message: 'there is no file' };

function describeDelta(delta: Delta): string {
  if (delta.kind === 'none') return 'no change of the configuration\n';
  if (delta.kind === 'knobs')
    return delta.changes
      .map(
        (c) =>
          `line ${c.line}: ${c.path}: ${c.before ?? '(absent)'} -> ${c.after ?? '(absent)'}${c.bucket === null ? '' : ` [${c.bucket}]`}\n`,
      )
      .join('');
  return `${delta.kind}: ${delta.side}, line ${delta.line}: ${delta.kind === 'structural' ? delta.statement : delta.message}\n`;
}

/** Exit 0 with the knobs, 1 if the file cannot be parsed. */
export async function readKnobsVerb(io: VerbIo, file: string): Promise<number> {
  const bytes = await readArgumentBytes(io, file);
  if (!bytes.ok) return usageError(io, bytes.error);
  const read = createExperimentReader(io.environment['PATH'] ?? '');
  const reading = await read(bytes.value, { path: file, python: 'python3' });
  if (reading.kind === 'unparsable') {
    reply(io, reading, `line ${reading.line}: ${reading.message}\n`);
    return EXIT.no;
  }
  const knobs = readKnobs(reading).map(({ path, knob, value, bucket, line }) => ({
    ...{ knob, path, value, bucket, line },
    spelled: displayPath(path),
  }));
  const lines = knobs.map(({ line, spelled, value }) => `line ${line}: ${spelled}=${value}\n`);
  reply(io, { kind: 'knobs', knobs }, lines.join(''));
  return EXIT.yes;
}
