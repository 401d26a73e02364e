//! May it run: agents, rules, pins, risk. Pure.
