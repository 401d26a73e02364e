//! A yes that is stretched to more than was shown.
