"""The report a person reads: tables, and the frame pairs behind the numbers."""
