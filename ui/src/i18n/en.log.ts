/** Words of the detail log. */
export const log = {
} as const;
