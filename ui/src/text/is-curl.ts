/** A command line of cURL, also behind the prompt of a shell. */
export const isCurl = (text: string): boolean => /^[$#>\s]*curl(\.exe)?\s/.test(text);
