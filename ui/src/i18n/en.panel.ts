/** Words of the node panel, schema forms and code fields. */
export const panel = {
} as const;
