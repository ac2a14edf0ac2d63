//! Golden tests come with the sources' own files.
