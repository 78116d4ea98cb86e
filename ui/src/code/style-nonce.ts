/** The nonce that the page was served with. Styles that come from no file carry it; the content security policy allows no others. */
export const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.nonce ?? '';
