CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  country TEXT NOT NULL
);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  status TEXT NOT NULL CHECK (status IN ('open', 'paid', 'cancelled')),
  total REAL NOT NULL,
  ordered_on TEXT NOT NULL
);
CREATE INDEX orders_of_customers ON orders (customer_id);
INSERT INTO customers (id, name, country) VALUES
  (1, 'Ada Berg', 'NO'), (2, 'Bruno Costa', 'PT'), (3, 'Chen Li', 'CN'), (4, 'Dana Evans', 'GB');
INSERT INTO orders (id, customer_id, status, total, ordered_on) VALUES
  (101, 1, 'paid', 120.5, '2026-01-04'), (102, 1, 'open', 35, '2026-01-09'),
  (103, 2, 'paid', 80, '2026-01-11'), (104, 3, 'cancelled', 15.25, '2026-01-12'),
  (105, 3, 'paid', 240, '2026-02-01'), (106, 4, 'open', 64.9, '2026-02-03'), (107, 3, 'open', 18, '2026-02-07');
