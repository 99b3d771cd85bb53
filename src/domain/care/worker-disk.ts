/** TPU workers, their disks and mounts, and which names may appear in a command (policy AG-16 to AG-19). */

declare const brand: unique symbol;
type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };

/** Google Cloud's name of a TPU VM. It cannot start with a dash, so no program parses it as an option. */
export type TpuName = Brand<string, 'TpuName'>;
export type Zone = Brand<string, 'Zone'>;
/** Where a bucket is mounted: at least two levels deep, outside system folders, and without characters that a shell interprets. */
export type MountPoint = Brand<string, 'MountPoint'>;

/** `worker` is the host's index within the VM. */
export type TpuWorker = { readonly tpu: TpuName; readonly zone: Zone; readonly worker: number };

/** As reported by `df`. Neither number includes root's reserve. */
export type DiskUsage = { readonly usedBytes: number; readonly availableBytes: number };

/** `type` as in the mount table: `ext4`, `fuse.gcsfuse`. */
export type Mount = { readonly at: string; readonly type: string };

/** Total size below the folder on the same file system. */
export type FolderSize = { readonly path: string; readonly bytes: number };

const TPU_NAME = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ZONE = /^[a-z]{2,20}-[a-z]{2,20}\d{1,2}-[a-z]$/;
const MOUNT_POINT = /^(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}){2,8}$/;
/** Clearing these would break the machine. */
const SYSTEM_FOLDER = /^\/(?:bin|boot|dev|etc|lib|lib32|lib64|libx32|proc|run|sbin|snap|sys|usr)\//;
/** The first level below these is a home directory or part of the system. */
const SHARED_FOLDER = /^\/(?:home|var)\/[^/]+$/;

export const isTpuName = (text: string): text is TpuName => TPU_NAME.test(text);
export const isZone = (text: string): text is Zone => ZONE.test(text);
export const isMountPoint = (text: string): text is MountPoint =>
  MOUNT_POINT.test(text) && !SYSTEM_FOLDER.test(text) && !SHARED_FOLDER.test(text);
