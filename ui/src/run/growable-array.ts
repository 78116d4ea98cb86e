/** A column of numbers that grows. */
export interface Numbers { [index: number]: number; readonly length: number; set(from: ArrayLike<number>): void }

export class Column {
  private values: Numbers;
  private size = 0;

  constructor(private readonly make: new (length: number) => Numbers) {
    this.values = new make(64);
  }

  get length(): number {
    return this.size;
  }

  get(index: number): number {
    return this.values[index] as number;
  }

  set(index: number, value: number): void {
    if (index >= this.values.length) {
      const wider = new this.make(Math.max(index + 1, this.values.length * 2));
      wider.set(this.values);
      this.values = wider;
    }
    this.values[index] = value;
    if (index >= this.size) this.size = index + 1;
  }

  push(value: number): void {
    this.set(this.size, value);
  }
}
