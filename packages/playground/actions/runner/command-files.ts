/** Reads what a step wrote into GITHUB_OUTPUT, GITHUB_ENV and GITHUB_STATE (docs: workflow commands, environment files). */

import { WorkflowFault } from '../workflow/workflow-fault.ts';

/**
 * Parses `name=value` lines and `name<<DELIMITER` blocks in order; later values win. Throws WorkflowFault on anything
 * else.
 */
export function parseCommandFile(text: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  // A carriage return is part of the value: only the Windows runner treats it as a line break.
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line === '') continue;
    const equals = line.indexOf('=');
    const block = line.indexOf('<<');
    if (equals >= 0 && (block < 0 || equals < block)) {
      values[parseName(line.slice(0, equals), line)] = line.slice(equals + 1);
    } else if (block >= 0) {
      const delimiter = line.slice(block + 2);
      const end = lines.indexOf(delimiter, at + 1);
      if (delimiter === '' || end < 0) {
        throw new WorkflowFault(`Invalid value. Matching delimiter not found '${delimiter}'`);
      }
      values[parseName(line.slice(0, block), line)] = lines.slice(at + 1, end).join('\n');
      at = end;
    } else throw new WorkflowFault(`Invalid format '${line}'`);
  }
  return values;
}

/**
 * Variables that keep the runner's value, even if a step or an `env:` sets them (docs: default environment variables).
 */
export function isFixedName(name: string): boolean {
  return /^(?:GITHUB_|RUNNER_)/i.test(name);
}

/**
 * Variables that GITHUB_ENV may not set, because they would load code into the next action (actions/runner,
 * SetEnvFileCommand).
 */
export function isRefusedName(name: string): boolean {
  return name.toUpperCase() === 'NODE_OPTIONS';
}

function parseName(name: string, line: string): string {
  if (name === '') throw new WorkflowFault(`Invalid format '${line}'. Name must not be empty`);
  return name;
}
