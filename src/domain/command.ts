/** GitHub numbers the three kinds separately. */
export const SURFACES = ['comment', 'review', 'review-comment'] as const;
export type Surface = (typeof SURFACES)[number];
