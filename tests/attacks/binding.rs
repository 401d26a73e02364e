//! Files that change between what was shown and what runs.
