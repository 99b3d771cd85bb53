/** The commands that approve what their digest names. */

export const APPROVING: readonly string[] = ['approve-launch', 'relaunch'];
