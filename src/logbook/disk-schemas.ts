/** What the event about a scan of worker disks carries, as read from a line. */

import * as z from 'zod';
import { CLEANUP_STATES, DISK_FINDINGS, SCAN_READINGS } from '../domain/care/disk-scan.ts';
import { scalars } from '../domain/logbook/parts.ts';
import { vmSchema } from './mutation-schemas.ts';

const text = z.string();

const worker = z.looseObject({
  tpu: text,
  worker: z.int(),
  vm: vmSchema.nullable(),
  percentFree: text,
  level: z.enum(['low', 'warning']),
  finding: z.enum(DISK_FINDINGS),
  detail: scalars,
  folders: z.array(z.looseObject({ path: text, bytes: z.int() })),
});

export const diskScanSchema = z.looseObject({
  cluster: text,
  reading: z.enum(SCAN_READINGS),
  why: text,
  mountPoint: text,
  thresholdPercent: z.int(),
  warnPercent: z.int(),
  workers: z.array(worker),
  cleanup: z.enum(CLEANUP_STATES),
});
