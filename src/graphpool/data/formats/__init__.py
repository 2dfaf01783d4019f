"""Files of graphs: one module a format, all read into a `GraphSet`."""
