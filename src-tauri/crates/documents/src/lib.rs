//! Spreadsheets, pages, PDF and archives: bytes to values and back. Pure: no files, no network, no clock.
