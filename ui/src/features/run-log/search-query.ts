// What is looked for in the log: letters of any case, numbers with or without what separates their thousands. Pure.

const SEPARATORS = /(?<=\d),(?=\d{3}(?!\d))/g;
const bare = (text: string): string => (text.includes(',') ? text.replaceAll(SEPARATORS, '') : text);

export class SearchQuery {
  /** '' finds everything. */
  readonly words: string;
  /** Nothing but a number: people count from 1, paths from 0. */
  readonly number: boolean;
  private readonly bare: string;
  /** Of a word without one the thousands of a text say nothing. */
  private readonly digits: boolean;

  constructor(text: string) {
    this.words = text.trim().toLowerCase();
    this.bare = bare(this.words);
    this.number = /^\d+$/.test(this.bare);
    this.digits = /\d/.test(this.bare);
  }

  in(text: string): boolean {
    const low = text.toLowerCase();
    if (low.includes(this.words)) return true;
    // Without separators here and there it would be the same search again.
    return this.digits && (low.includes(',') || this.bare !== this.words) && bare(low).includes(this.bare);
  }

  /** The number itself, whole. */
  is(number: number | null | undefined): boolean {
    return this.number && String(number) === this.bare;
  }

  /** As it is written in the file of the run: `each[3]`. */
  inPath(path: string | null | undefined): boolean {
    return !this.number && path != null && path.toLowerCase().includes(this.words);
  }
}
