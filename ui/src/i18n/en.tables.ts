/** Words of the tables of a database in the settings of a step. */
export const tables = {
  'tables.title': 'Tables of the database',
  'tables.hint': 'Reads the names of tables and columns with this connection. A click or a drag puts a name into the settings.',
  'tables.show': 'Show tables',
  'tables.asking': 'Reading',
  'tables.failed': 'The tables were not read',
  'tables.search': 'Search tables and columns',
  'tables.none': 'The database has no tables that this user sees.',
  'tables.count.one': 'One table',
  'tables.count.other': '{n} tables',
  'tables.first': 'The first {shown} of {n} tables',
  'tables.insert': 'Insert {name}',
  'tables.view': 'view',
  'tables.key': 'primary key',
  'sql.dragHere': 'a field dragged here becomes a parameter',
};
