// Names of tables and columns in SQL: written as a database system needs them, and put into a statement that somebody writes; and the
// parameters by which data get there. Pure.

import { lastName } from '../../code/field-drag.ts';
import { isObject } from '../../json/json.ts';

/** A name as SQL needs it: between quotes, unless it is plain. */
export function quotedName(system: unknown, name: string): string {
  if (/^[a-z_][a-z0-9_]*$/.test(name) && !WORDS.has(name)) return name;
  return system === 'mysql' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`;
}

/** Schema and table, or a column. */
export const quotedParts = (system: unknown, parts: readonly string[]): string => parts.map((part) => quotedName(system, part)).join('.');

/** The SQL of a step with a name at its end. */
function withName(text: string, name: string): string {
  if (text === '' || /[\s(,.]$/.test(text)) return text + name;
  // Without a comma the second of two names would be another word for the first: other values, and no error.
  const last = /[\w$]+$/.exec(text)?.[0];
  const isName = last === undefined ? /["`]$/.test(text) : !WORDS.has(last.toLowerCase());
  return `${text}${isName ? ', ' : ' '}${name}`;
}

const written = (sql: unknown): string => (typeof sql === 'string' ? sql : '');

/** A table in the SQL of a step; a step without SQL reads it. */
export function withTable(sql: unknown, table: string): string {
  const text = written(sql);
  return text.trim() === '' ? `SELECT * FROM ${table}` : withName(text, table);
}

/** A column in the SQL of a step. Where the statement does no more than read the table, it is one of those that are read. */
export function withColumn(sql: unknown, table: string, column: string): string {
  const text = written(sql);
  if (text.trim() === '') return `SELECT ${column} FROM ${table}`;
  const end = ` FROM ${table}`;
  const read = /^SELECT (.+)$/s.exec(text.trimEnd())?.[1];
  if (read === undefined || !read.endsWith(end)) return withName(text, column);
  const columns = read.slice(0, -end.length);
  if (/\bFROM\b/i.test(columns)) return withName(text, column);
  if (columns.split(', ').includes(column)) return text;
  return `SELECT ${columns === '*' ? column : `${columns}, ${column}`}${end}`;
}

/** The parameter that brings the value of an expression into a statement: the one that does so already, or a new one. */
export function parameterFor(params: unknown, expression: string): { name: string; isNew: boolean } {
  const known = isObject(params) ? params : {};
  const value = `=${expression}`;
  const base = lastName(expression).replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  const wanted = base === '_' ? 'value' : base;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}_${String(number)}`;
    if (!Object.hasOwn(known, name)) return { name, isNew: true };
    const there = known[name];
    if (typeof there === 'string' && there.replaceAll(/\s/g, '') === value.replaceAll(/\s/g, '')) return { name, isNew: false };
  }
}

/** Words that cannot stand alone as the name of a column or table: asked of PostgreSQL 15, MariaDB 10.11 and SQLite, and those of MySQL 8 by its manual. */
const WORDS: ReadonlySet<string> = new Set((
  'accessible add all alter analyse analyze and any array as asc asensitive asymmetric authorization before between bigint binary blob both by call ' +
  'cascade case cast change char character check collate collation column commit concurrently condition constraint continue convert create cross ' +
  'cume_dist current_catalog current_date current_role current_schema current_time current_timestamp current_user cursor databases day_hour ' +
  'day_microsecond day_minute day_second dec decimal declare default deferrable delayed delete delete_domain_id dense_rank desc describe deterministic ' +
  'distinct distinctrow div do do_domain_ids double drop dual each else elseif empty enclosed end escape escaped except exists exit explain false fetch ' +
  'first_value float for force foreign freeze from full fulltext function grant group grouping groups having high_priority hour_microsecond hour_minute ' +
  'hour_second if ignore ignore_domain_ids ilike in index infile initially inner inout insensitive insert int integer intersect interval into is isnull ' +
  'iterate join json_table key keys kill lag last_value lateral lead leading leave left like limit linear lines load localtime localtimestamp lock long ' +
  'longblob longtext loop low_priority master_demote_to_replica master_demote_to_slave master_ssl_verify_server_cert match maxvalue mediumblob mediumint ' +
  'mediumtext middleint minute_microsecond minute_second mod modifies natural no_write_to_binlog not nothing notnull nth_value ntile null numeric of ' +
  'offset on only optimize optionally or order out outer outfile over overlaps page_checksum parse_vcol_expr partition percent_rank placing portion ' +
  'precision primary procedure purge raise range rank read read_write reads real recursive ref_system_id references regexp release rename repeat replace ' +
  'require resignal restrict return returning revoke right rlike row_number rows schemas second_microsecond select sensitive separator session_user set ' +
  'show signal similar smallint some spatial specific sql sql_big_result sql_calc_found_rows sql_small_result sqlexception sqlstate sqlwarning ssl ' +
  'starting stats_auto_recalc stats_persistent stats_sample_pages stored straight_join symmetric system table tablesample terminated then tinyblob ' +
  'tinyint tinytext to trailing transaction trigger true undo union unique unlock unsigned update usage use user using utc_date utc_time utc_timestamp ' +
  'values varbinary varchar varcharacter variadic varying verbose virtual when where while window with write xor year_month zerofill'
).split(' '));
