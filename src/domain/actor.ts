/** `id` is GitHub's numeric user id and identifies the person; `login` may change and is for display. */
export type Actor = { readonly id: number; readonly login: string };

/** Roles from least to most (GitHub REST, collaborators/permission `role_name`). */
export const PERMISSIONS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Whether `held` is at least `needed`. */
export function permits(held: Permission, needed: Permission): boolean {
  return PERMISSIONS.indexOf(held) >= PERMISSIONS.indexOf(needed);
}
