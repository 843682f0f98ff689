"""Relations between calls: the same data in another order, under other names, in other forms.

Each public function is called with the rows of a case, and again with rows that say the same; both
answers must be the same.  Most faults of this kind match by position what has names, or take a row
that counts twice, or has a weight, for one row.
"""
