/**
 * Evaluates a ferry on a real Ray head by its record only: the job, Ray's status, and one submit per attempt.
 */

import { z } from 'zod';

const event = z.looseObject({ type: z.string(), data: z.looseObject({ attempt: z.int().optional() }) });
const submitted = z.looseObject({
  attempt: z.int(),
  engine: z.string(),
  jobId: z.string(),
  adopted: z.boolean(),
  details: z.record(z.string(), z.union([z.string(), z.number()])),
  urls: z.record(z.string(), z.string()),
});
const ended = z.looseObject({
  status: z.string(),
  message: z.string(),
  exitCode: z.int().nullable(),
  lastStep: z.int().nullable(),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  engineDetails: z.record(z.string(), z.string()).optional(),
});

/** The faults in the lines of a run's `events.jsonl`; none for a ferry that Ray ran from start to end. */
export function rayFerryFaults(run: string, lines: readonly string[]): readonly string[] {
  const events = lines.map((line) => event.parse(JSON.parse(line)));
  const of = (type: string): readonly unknown[] => events.flatMap((one) => (one.type === type ? [one.data] : []));
  const submits = of('submitted').map((data) => submitted.parse(data));
  const attempts = submits.map(({ attempt }) => attempt);
  const ends = of('ended').map((data) => ended.parse(data));
  const running = of('observed').filter(
    (data) => z.looseObject({ status: z.literal('RUNNING') }).safeParse(data).success,
  );
  const checks: readonly (readonly [boolean, string])[] = [
    [submits.length > 0, 'no job was submitted'],
    [new Set(attempts).size === attempts.length, 'an attempt was submitted twice'],
    [of('claimed').length === submits.length, 'a submit without a claim of its own'],
    ...submits.flatMap((one) => submitFaults(run, one)),
    [running.length > 0, 'the job was never seen to run'],
    [ends.length === submits.length, `${submits.length} jobs and ${ends.length} ends`],
    ...endFaults(ends.at(-1)),
    [events.at(-1)?.type === 'sealed', 'the record does not end with the seal'],
    [!events.some(({ type }) => type === 'incident'), 'there is an incident'],
  ];
  return checks.flatMap(([isFine, fault]) => (isFine ? [] : [`${run}: ${fault}`]));
}

function submitFaults(
  run: string,
  { engine, jobId, attempt, adopted, details, urls }: z.infer<typeof submitted>,
): readonly (readonly [boolean, string])[] {
  return [
    [engine === 'ray', `the engine is ${engine}`],
    [jobId === `ferrybot-${run}-a${attempt}`, `${jobId} is no job of attempt ${attempt}`],
    [!adopted, 'the job was there before it was submitted'],
    [/^session_/.test(String(details['session'])), 'the session of the head is missing'],
    [(urls['dashboard'] ?? '').endsWith(`/#/jobs/${jobId}`), 'the page of the job is missing'],
  ];
}

function endFaults(end: z.infer<typeof ended> | undefined): readonly (readonly [boolean, string])[] {
  if (end === undefined) return [];
  return [
    [end.status === 'SUCCEEDED' && end.exitCode === 0, `it ended ${end.status} with ${end.exitCode}`],
    [end.message === 'Job finished successfully.', `Ray's words are not there: ${end.message}`],
    [/^[0-9a-f]{56}$/.test(end.engineDetails?.['driverNode'] ?? ''), "the driver's node is missing"],
    [(end.startedAt ?? '~') < (end.endedAt ?? ''), "Ray's times are missing"],
    [(end.lastStep ?? 0) > 0, 'no step was made'],
  ];
}
