/** `ferrybot serve`: runs the App. */

import { mkdir } from 'node:fs/promises';
import { findAncestorsThatExpose } from '../../../host/process.ts';
import { readPythonVersion } from '../../../host/python-child.ts';
import { redact } from '../../../host/redactor.ts';
import { readServeOptions } from '../../server/serve-options.ts';
import { KEY_VARIABLES } from '../../signers.ts';
import { EXIT, refuse, reply, usageError, type VerbIo } from '../verb-io.ts';

/** Exits with 0 on SIGTERM or SIGINT, after the running work or the time that it has. */
export async function serveVerb(io: VerbIo): Promise<number> {
  const options = readServeOptions(io.environment, Date.now);
  if (!options.ok) return usageError(io, `these settings are missing or wrong:\n${options.error.join('\n')}`);
  const python = await readPythonVersion('python3', io.environment['PATH'] ?? '');
  if (python.kind === 'unknown')
    return refuse(io, { code: 'no-python', message: `ferrybot reads experiment files with Python: ${python.why}` });
  await mkdir(options.value.workDirectory, { recursive: true, mode: 0o700 });
  const secrets = Object.entries(io.environment).flatMap(([name, value]) =>
    /KEY|SECRET|TOKEN/.test(name) && value !== undefined ? [value] : [],
  );
  const keys = ['PRIVATE_KEY', 'WEBHOOK_SECRET', KEY_VARIABLES.control].map((name) => io.environment[name] ?? '');
  for (const { pid, name } of findAncestorsThatExpose(keys))
    io.stderr.write(
      `process ${pid} (${name}), which started this one, shows the keys in /proc/${pid}/environ to every program of this user: start \`ferrybot serve\` without it\n`,
    );
  const { serve } = await import('../../server/serve.ts');
  const serving = await serve(options.value, (line, fields) =>
    io.stderr.write(`${redact(`${line}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}`, secrets)}\n`),
  );
  reply(io, { ok: true, error: null, url: serving.url }, `listening on ${serving.url}\n`);
  await new Promise<void>((resolve) => {
    // Not `once`: if no other listener is left, execa ends this process with the signal while a program of its own runs.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve());
    // A parent process that started the server over a pipe has ended.
    if (io.environment['FERRYBOT_STOP_WITH_STDIN'] === '1') process.stdin.once('end', resolve).resume();
  });
  // Unfinished work would keep the process alive. The record has what it did, and the next start repeats it.
  if ((await serving.close()) > 0) process.exit(EXIT.yes);
  return EXIT.yes;
}
