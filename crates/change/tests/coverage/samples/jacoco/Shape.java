package org.example;

public class Shape {
    private static final int LIMIT = 5;

    static int used(int n) {
        if (n > LIMIT) {
            return -1;
        }
        return n * 2;
    }

    static int unused(int n) {
        int m = n;
        return m + 1;
    }

    public static void main(String[] args) {
        System.out.println(used(2));
    }
}
