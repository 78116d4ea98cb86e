/** Words of the canvas. */
export const canvas = {
} as const;
