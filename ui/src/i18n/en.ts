/** Words of frame, screens, gallery, runs, catalog, settings and palette. */
export const en = {
  'app.name': 'Signalbox',
  'nav.main': 'Main',
  'nav.workflows': 'Workflows',
  'nav.runs': 'Runs',
  'nav.catalog': 'Catalog',
  'nav.settings': 'Settings',
  'common.close': 'Close',
  'common.cancel': 'Cancel',
} as const;
