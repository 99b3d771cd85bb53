#!/usr/bin/env node
/**
 * The command `ferrybot`. In a checkout it runs the source in a Node that reads TypeScript, which is this one or the one
 * that `npm ci` installed. In the package it runs dist/cli.
 */

// Plain JavaScript, because this file is also started by a Node 20 on somebody's PATH, in any folder (`npm link`).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const program = new URL('../src/app/cli/main.ts', import.meta.url);
const broughtNode = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));

if (!existsSync(program)) await import('../dist/cli/main.js');
else if (process.features.typescript) await import(program.href);
else if (existsSync(broughtNode)) handTo(broughtNode);
else {
  process.stderr.write(
    `ferrybot needs Node 24, and this is ${process.version}; \`npm ci\` in its checkout brings one along\n`,
  );
  process.exitCode = 2;
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
