// What is looked for in the log: letters of any case, numbers with or without what separates their thousands. Pure.

const SEPARATORS = /(?<=\d),(?=\d{3}(?!\d))/g;
const bare = (text: string): string => (text.includes(',') ? text.replaceAll(SEPARATORS, '') : text);

export class Needle {
  /** '' finds everything. */
  readonly words: string;
  /** Nothing but a number: people count from 1, paths from 0. */
  readonly number: boolean;
  private readonly bare: string;

  constructor(text: string) {
    this.words = text.trim().toLowerCase();
    this.bare = bare(this.words);
    this.number = /^\d+$/.test(this.bare);
  }

  in(text: string): boolean {
    const low = text.toLowerCase();
    return low.includes(this.words) || (/\d/.test(this.bare) && bare(low).includes(this.bare));
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
