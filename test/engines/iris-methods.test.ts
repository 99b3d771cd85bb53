/** The adapter can only call Iris for single jobs, never for a cluster, a controller or a worker. */

import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { METHODS } from '../../src/engines/iris/request.ts';

const FOLDER = 'src/engines/iris';

// rules HR-04, HR-28
it('calls no method that stops, starts or restarts an Iris cluster', () => {
  expect(Object.values(METHODS).toSorted()).toEqual([
    'finelog.logging.LogService/FetchLogs',
    'iris.cluster.ControllerService/GetAuthInfo',
    'iris.cluster.ControllerService/GetJobStatus',
    'iris.cluster.ControllerService/GetProcessStatus',
    'iris.cluster.ControllerService/LaunchJob',
    'iris.cluster.ControllerService/ListJobs',
    'iris.cluster.ControllerService/ListTasks',
    'iris.cluster.ControllerService/TerminateJob',
  ]);
});

it('sends requests only from request.ts and starts no program', () => {
  const sources = globSync(`${FOLDER}/*.ts`).map((file) => [file, readFileSync(file, 'utf8')] as const);
  expect(sources.length).toBeGreaterThan(5);
  const doing = (what: RegExp): readonly string[] => sources.flatMap(([file, text]) => (what.test(text) ? [file] : []));
  expect(doing(/settings\.http\b|askWhole\(|\bfetch\(/)).toEqual([`${FOLDER}/request.ts`]);
  expect(doing(/execa|child_process|runProgram|process-group/)).toEqual([]);
  expect(doing(/ControllerService|LogService/)).toEqual([`${FOLDER}/request.ts`]);
});
