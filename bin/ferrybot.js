#!/usr/bin/env node
/**
 * The command `ferrybot`. It runs the bundle of `npm run bundle`, which is all that the package has. In a checkout whose source is newer than
 * its bundle, it runs the source in a Node that reads TypeScript, which is this one or the one that `npm ci` installed.
 */

// Plain JavaScript, because this file is also started by a Node 20 on somebody's PATH, in any folder (`npm link`).
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bundle = new URL('../dist/cli.js', import.meta.url);
const source = new URL('../src/', import.meta.url);
const program = new URL('app/cli/main.ts', source);
const broughtNode = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));

// The bundle uses methods of sets, which Node has since 22.
if ('union' in Set.prototype && isCurrent()) {
  // In a folder of this user alone: what lies there is run.
  module.enableCompileCache?.(join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ferrybot'));
  await import(bundle.href);
} else if (process.features.typescript) await import(program.href);
else if (existsSync(broughtNode)) handTo(broughtNode);
else {
  process.stderr.write(
    `ferrybot needs Node 22.13 or newer, and this is ${process.version}; \`npm ci\` in a checkout installs one\n`,
  );
  process.exitCode = 2;
}

/** Whether the bundle exists and no file of the source is newer. */
function isCurrent() {
  const builtAt = statSync(bundle, { throwIfNoEntry: false })?.mtimeMs;
  if (builtAt === undefined || !existsSync(source)) return builtAt !== undefined;
  const root = fileURLToPath(source);
  return readdirSync(root, { recursive: true }).every((name) => statSync(join(root, name)).mtimeMs <= builtAt);
}

/** Becomes the other Node where this one can: a parent that stays would show its environment, with the server's keys. */
function handTo(node) {
  const args = [fileURLToPath(program), ...process.argv.slice(2)];
  if (process.execve !== undefined) process.execve(node, [node, ...args], process.env);
  else if (process.argv[2] === 'serve') {
    process.stderr.write(
      `ferrybot serve holds keys, which this ${process.version} would go on showing in its environment: start it with Node 24\n`,
    );
    process.exitCode = 2;
  } else runIn(node);
}

/** Signals that reach this process alone are handed on, and the child's end is this one's. */
function runIn(node) {
  const child = spawn(node, [fileURLToPath(program), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // A terminal sends Ctrl-C to both: the child ends its work, and this process waits for it.
  process.on('SIGINT', () => undefined);
  child.on('error', (error) => {
    throw new Error(`${node} could not be started`, { cause: error });
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const one of ['SIGTERM', 'SIGHUP', 'SIGINT']) process.removeAllListeners(one);
    process.kill(process.pid, signal);
  });
}
