"""Pictures of graphs, curves and maps, as SVG and PNG."""
