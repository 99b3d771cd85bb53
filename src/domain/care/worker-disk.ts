/** The words of disk care: TPU workers, their disks and mounts, and the names that may stand in a command (policy AG-16 to AG-19). */

declare const brand: unique symbol;
type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };

/** Name of a TPU VM as Google Cloud takes it: it never begins with a dash, so that no program reads it as an option. */
export type TpuName = Brand<string, 'TpuName'>;
/** `us-central1-a`. */
export type Zone = Brand<string, 'Zone'>;
/**
 * Folder where a bucket is mounted, at least two levels deep and outside the system's own folders. Only characters that
 * no shell reads as anything but themselves.
 */
export type MountPoint = Brand<string, 'MountPoint'>;

/** One host of a TPU VM; `worker` is its index, 0 on a VM of one host. */
export type TpuWorker = { readonly tpu: TpuName; readonly zone: Zone; readonly worker: number };

/** A file system as `df` told it. Root's reserve is in none of the two. */
export type DiskUsage = { readonly usedBytes: number; readonly availableBytes: number };

/** One line of a mount table: where, and of which type (`ext4`, `fuse.gcsfuse`). */
export type Mount = { readonly at: string; readonly type: string };

/** A folder with all that is below it on the same file system. */
export type FolderSize = { readonly path: string; readonly bytes: number };

const TPU_NAME = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const ZONE = /^[a-z]{2,20}-[a-z]{2,20}\d{1,2}-[a-z]$/;
const MOUNT_POINT = /^(?:\/[A-Za-z0-9_][A-Za-z0-9._-]{0,63}){2,8}$/;
/** The system's own: whatever is mounted there, clearing it would take the machine along. */
const SYSTEM_FOLDER = /^\/(?:bin|boot|dev|etc|lib|lib32|lib64|libx32|proc|run|sbin|snap|sys|usr)\//;
/** Below these the first level is a person's home or a part of the system. */
const SHARED_FOLDER = /^\/(?:home|var)\/[^/]+$/;

export const isTpuName = (text: string): text is TpuName => TPU_NAME.test(text);
export const isZone = (text: string): text is Zone => ZONE.test(text);
export const isMountPoint = (text: string): text is MountPoint =>
  MOUNT_POINT.test(text) && !SYSTEM_FOLDER.test(text) && !SHARED_FOLDER.test(text);
