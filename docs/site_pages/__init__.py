"""What the site generates when it is built: keys, rules, tables, ledgers of settings, formulas."""
