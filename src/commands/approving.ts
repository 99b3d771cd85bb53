/** Commands that approve the digest they name. */

export const APPROVING: readonly string[] = ['approve-launch', 'relaunch'];
