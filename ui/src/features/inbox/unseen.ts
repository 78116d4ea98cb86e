/** Nobody has seen what opened by itself so short a time ago (milliseconds): what decides about it then is a second press, or a key that is held. */
export const unseen = { ms: 600 };
